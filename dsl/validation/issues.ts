import type { ErrorDetail } from '../../lib/errors';

export { memberPath, typeName } from '../../lib/json-path';

/** Maximum number of findings of one kind. The check ends at the last error: a longer list does not help. */
const MAX_FINDINGS = 100;
/** Maximum number of computed hints; comparing words is the slowest part of a check. */
const MAX_HINTS = 20;

/** Ends a check: there are enough findings, or the rest would take too long. */
export class CheckEnded extends Error {}

/** How to fix a finding, or a function that computes it, called for the first findings only. */
export type Hint = string | (() => string | undefined);

/** Collects findings, so that all are reported at once. */
export class Issues {
  readonly errors: ErrorDetail[] = [];
  readonly warnings: ErrorDetail[] = [];

  error(path: string, message: string, hint?: Hint): void {
    add(this.errors, path, message, hint);
    if (this.errors.length >= MAX_FINDINGS) throw new CheckEnded();
  }

  /** An error after which nothing else is checked. */
  endWith(path: string, message: string, hint?: Hint): never {
    this.error(path, message, hint);
    throw new CheckEnded();
  }

  warn(path: string, message: string, hint?: Hint): void {
    add(this.warnings, path, message, hint);
  }
}

function add(list: ErrorDetail[], path: string, message: string, hint: Hint | undefined): void {
  if (list.length >= MAX_FINDINGS) return;
  const mend = typeof hint !== 'function' ? hint : list.length < MAX_HINTS ? hint() : undefined;
  list.push(mend === undefined ? { path, message } : { path, message, hint: mend });
}
