const KIB = 1024;
const MIB = 1024 * KIB;

/** Limits of a skill. */
export const MAX_FILES = 200;
export const MAX_FILE_BYTES = MIB;
export const MAX_TOTAL_BYTES = 4 * MIB;
/** Characters; also the limit of one response to a step. */
export const MAX_INSTRUCTIONS_BYTES = 128 * KIB;
/** Characters. */
export const MAX_FRONT_MATTER_BYTES = 16 * KIB;
export const MAX_NAME_CHARS = 64;
export const MAX_DESCRIPTION_CHARS = 1_024;
export const MAX_LICENSE_CHARS = 500;
export const MAX_METADATA_KEYS = 50;
export const MAX_METADATA_KEY_CHARS = 100;
export const MAX_METADATA_VALUE_CHARS = 1_000;
export const MAX_TOOLS = 100;
export const MAX_TOOL_CHARS = 200;

/** Limits of a bundle. Entries include folders and ignored files. */
export const MAX_BUNDLE_BYTES = 5 * MIB;
export const MAX_ENTRIES = 2_000;
