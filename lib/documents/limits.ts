/** Limits of parsing a file. Units are in the names: bytes or UTF-16 characters. */
export interface ParseLimits {
  /** For parsing and chunking. A PDF of 1,000 pages takes about 10 s. */
  readonly timeoutMs: number;
  /** Limit of the thread's heap. Buffers are outside of it, see MAX_BUFFER_BYTES. */
  readonly heapMiB: number;
  /** Of plain text: about 4,000 pages. */
  readonly characters: number;
  readonly chunks: number;
  /** Files parsed at the same time; others wait. */
  readonly threads: number;
}

/** Two threads with low priority leave the processors of a small machine to other work. */
export const PARSE_LIMITS: ParseLimits = {
  timeoutMs: 30_000,
  heapMiB: 384,
  characters: 8_000_000,
  chunks: 20_000,
  threads: 2,
};

const MIB = 1024 * 1024;

/** For documents that are archives. Their XML often compresses by a factor of 100. */
export const ARCHIVE_LIMITS = { entries: 10_000, entryBytes: 64 * MIB, totalBytes: 256 * MIB, ratio: 400 };

/** Maximum bytes in typed arrays, which the heap limit does not count. */
export const MAX_BUFFER_BYTES = 512 * MIB;

/** Maximum pages of a PDF, slides or sheets. */
export const MAX_PAGES = 5_000;

/** Maximum elements of an XML or HTML document, and their nesting. */
export const MAX_ELEMENTS = 3_000_000;
export const MAX_ELEMENT_DEPTH = 500;

/** Maximum non-empty cells of a workbook. */
export const MAX_CELLS = 1_000_000;

/** Maximum nesting of JSON arrays and objects. */
export const MAX_JSON_DEPTH = 200;
