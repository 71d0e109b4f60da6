/** What reading one file may cost. Sizes are in bytes or UTF-16 characters, as the names say. */
export interface ParseLimits {
  /** From the beginning of its reading to its end, chunks included. A PDF of 1,000 pages takes about 10 s. */
  readonly timeoutMs: number;
  /** Of the thread's heap. What is outside of it, bytes, has MOST_BUFFER_BYTES. */
  readonly heapMiB: number;
  /** Of its plain text: about 4,000 pages. */
  readonly characters: number;
  readonly chunks: number;
  /** Threads that read files at the same time; a third file waits. */
  readonly threads: number;
}

/** The limits of the service. Two threads leave the processors of a small machine to others, as they are also the less urgent. */
export const PARSE_LIMITS: ParseLimits = {
  timeoutMs: 30_000,
  heapMiB: 384,
  characters: 8_000_000,
  chunks: 20_000,
  threads: 2,
};

const MIB = 1024 * 1024;

/** Of documents that are archives. Their parts are XML of which much is the same: 100 times smaller is common. */
export const ARCHIVE_LIMITS = { entries: 10_000, entryBytes: 64 * MIB, totalBytes: 256 * MIB, ratio: 400 };

/** Bytes in typed arrays, which the limit of a thread's heap does not count. */
export const MOST_BUFFER_BYTES = 512 * MIB;

/** Pages of a PDF, slides, or sheets. */
export const MOST_PAGES = 5_000;

/** Elements of one XML or HTML document, and how deep they may lie in each other. */
export const MOST_ELEMENTS = 3_000_000;
export const DEEPEST = 500;

/** Cells of a workbook with something in them. */
export const MOST_CELLS = 1_000_000;

/** Lists and objects within each other in JSON. */
export const DEEPEST_JSON = 200;
