/** What one script may use. Everything here is per job. */

const MIB = 1024 * 1024;

/**
 * The linear memory of an engine, of which it needs about 6 MiB itself: what is left is the script's. This is the limit
 * that counts: the engine's own is blind here, as its allocator does not tell it how large its pieces are.
 */
export const ENGINE_BYTES = 70 * MIB;

/** What is left of that for a script, in MiB. */
export const MEMORY_MIB = 64;

/** The linear memory that an engine begins with. It never shrinks, so an engine that has grown is not used again. */
export const ENGINE_BYTES_AT_FIRST = 16 * MIB;

/** Engines that a thread keeps, each for a lane. One that has nothing to do takes 0.2 MiB, and at most what it began with. */
export const ENGINES_KEPT = 4;

/** With 512 kB, a recursion that ends in an uncaught error makes the engine's own clean-up abort. */
export const STACK_BYTES = 256 * 1024;

/** Characters of source and globals, as JSON text. Making it holds up the process: at worst, of nothing but small lists, 50 ms. */
export const INPUT_CHARACTERS = 2 * MIB;

/** Characters of the result, as JSON text. */
export const RESULT_CHARACTERS = MIB;

/** Lists and objects within each other in a result. */
export const RESULT_DEPTH = 200;

/** Lines that are kept of what a script writes to its console, and characters of each. */
export const LINES = 200;
export const LINE_CHARACTERS = 1_000;

/** How long after its time a script may still be in a built-in function that cannot be interrupted. */
export const GRACE_MS = 500;
