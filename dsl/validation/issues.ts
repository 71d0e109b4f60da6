import type { ErrorDetail } from '../../lib/errors';

export { memberPlace as memberPath, typeName } from '../../lib/json-place';

/** Most findings of one kind that are kept: a document that is wrong throughout needs no longer list. */
const MAX_FINDINGS = 500;
/** Findings that get their hint worked out; comparing words is the slowest part of a check. */
const MAX_GUESSES = 50;

/** How to mend a finding, or a function that finds out; it is called for the first findings only. */
export type Hint = string | (() => string | undefined);

/** Gathers what is wrong with a document, so that everything is told at once. */
export class Issues {
  readonly errors: ErrorDetail[] = [];
  readonly warnings: ErrorDetail[] = [];

  error(path: string, message: string, hint?: Hint): void {
    add(this.errors, path, message, hint);
  }

  warn(path: string, message: string, hint?: Hint): void {
    add(this.warnings, path, message, hint);
  }
}

function add(list: ErrorDetail[], path: string, message: string, hint: Hint | undefined): void {
  if (list.length >= MAX_FINDINGS) return;
  const mend = typeof hint !== 'function' ? hint : list.length < MAX_GUESSES ? hint() : undefined;
  list.push(mend === undefined ? { path, message } : { path, message, hint: mend });
}
