/** Default and maximum number of rows of a page. */
export const DEFAULT_PAGE_ROWS = 50;
export const MAX_PAGE_ROWS = 200;
export const MAX_PAGE_OFFSET = 1_000_000_000;

/** Params of list actions, in fastest-validator's form. */
export const pageParams = {
  limit: { type: 'number', integer: true, min: 1, max: MAX_PAGE_ROWS, convert: true, optional: true },
  offset: { type: 'number', integer: true, min: 0, max: MAX_PAGE_OFFSET, convert: true, optional: true },
} as const;

interface PageParams {
  limit?: number;
  offset?: number;
}

/** The requested range of a list. */
export interface Page {
  limit: number;
  offset: number;
}

/** The result of a list action. */
type Listed<T> = {
  data: T[];
  limit: number;
  offset: number;
};

/** The page requested by the params. */
export const pageOf = ({ limit = DEFAULT_PAGE_ROWS, offset = 0 }: PageParams): Page => ({ limit, offset });

/** A page of an in-memory list. */
export const sliceOf = <T>(rows: readonly T[], { limit, offset }: Page): Listed<T> => ({
  data: rows.slice(offset, offset + limit),
  limit,
  offset,
});

/** A page of a built-in catalogue: everything unless a limit is given. */
export const catalogueOf = <T>(
  rows: readonly T[],
  { limit = Math.max(rows.length, 1), offset = 0 }: PageParams,
): Listed<T> => sliceOf(rows, { limit, offset });
