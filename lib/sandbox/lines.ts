/**
 * Maps a line reported by an engine to a line of the source. Engines wrap the source in a function that ends on the
 * line after it, where a missing or extra bracket is reported.
 */
export const lineWithin = (source: string, line: number): number => Math.min(line, source.split('\n').length);
