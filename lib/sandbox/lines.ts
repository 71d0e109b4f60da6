/**
 * The line of a source that an engine means. Both engines read a source inside of a function of ours, which ends on the
 * line after it: what is missing, or too much, at the end of the source shows there.
 */
export const lineWithin = (source: string, line: number): number => Math.min(line, source.split('\n').length);
