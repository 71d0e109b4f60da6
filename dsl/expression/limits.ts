/** Characters of one expression's source. */
export const MAX_SOURCE = 16 * 1024;

/** Nesting of parentheses, lists, objects, calls, indexes and signs. */
export const MAX_DEPTH = 32;

/** Nodes of one tree. */
export const MAX_NODES = 2_000;

/** Levels of one tree, so that it can be evaluated on any stack: a chain such as `a + b + c` is as high as it is long. */
export const MAX_HEIGHT = 1_000;

/** Levels that a call counts for: its arguments are evaluated on behalf of its function. */
export const CALL_HEIGHT = 4;

/** Characters of JSON text in the value of one expression, or of one text with expressions in it. */
export const MAX_RESULT = 1024 * 1024;

/** Nesting of a value that is measured, compared or written as text. */
export const MAX_VALUE_DEPTH = 200;

/** Operations of one rendering; one is a node evaluated, a list item visited, or 32 characters handled. */
export const MAX_OPERATIONS = 200_000;

/** Entries of a list that `range` makes. */
export const MAX_RANGE = 10_000;
