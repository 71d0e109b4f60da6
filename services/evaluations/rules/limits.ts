/** Limits of data sets. */
export const MAX_ROWS = 10_000;
/** Of the input and the expected value of a row, as JSON. */
export const MAX_ROW_BYTES = 64 * 1024;
export const MAX_DATASET_BYTES = 64 * 1024 * 1024;
export const MAX_UPLOAD_BYTES = 16 * 1024 * 1024;
export const MAX_TAGS = 20;
export const MAX_TAG_CHARS = 50;
