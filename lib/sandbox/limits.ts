/** Limits of one script. All are per job. */

const MIB = 1024 * 1024;

/**
 * Maximum linear memory of an engine, including about 6 MiB for itself. The engine's own limit is ineffective here, as
 * its allocator does not report the size of blocks.
 */
export const ENGINE_BYTES = 70 * MIB;

/** Memory available to a script, in MiB. */
export const MEMORY_MIB = 64;

/** Initial linear memory. It never shrinks, so an engine that has grown is not reused. */
export const ENGINE_BYTES_AT_FIRST = 16 * MIB;

/** Idle engines per thread, each for a lane. An idle one takes 0.2 MiB, and at most its initial memory. */
export const ENGINES_KEPT = 4;

/** With 512 kB, a recursion that ends in an uncaught error makes the engine's clean-up abort. */
export const STACK_BYTES = 256 * 1024;

/**
 * Maximum characters of source and globals as JSON. Serializing blocks the process, for up to 50 ms in the worst case.
 */
export const INPUT_CHARACTERS = 2 * MIB;

/** Maximum characters of the result as JSON. */
export const RESULT_CHARACTERS = MIB;

/** Maximum nesting of the result. */
export const RESULT_DEPTH = 200;

/** Maximum console lines, and characters of each. */
export const LINES = 200;
export const LINE_CHARACTERS = 1_000;

/** How long after its timeout a script may still be in an uninterruptible built-in function. */
export const GRACE_MS = 500;
