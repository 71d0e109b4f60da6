import { AppError, type ErrorDetail, summaryOf } from '../../../lib/errors';

/** A valid value, or all errors of the input. */
export type Validation<T> =
  | { readonly kind: 'valid'; readonly value: T }
  | { readonly kind: 'invalid'; readonly errors: readonly ErrorDetail[] };

export const valid = <T>(checked: T): Validation<T> => ({ kind: 'valid', value: checked });

export const invalid = (errors: readonly ErrorDetail[]): Validation<never> => ({ kind: 'invalid', errors });

/** Limit of a path in a message: the name of an archive entry may have 65,535 bytes. */
const MAX_PATH_CHARS = 300;

export const errorAt = (path: string, message: string): ErrorDetail => ({
  path: path.length > MAX_PATH_CHARS ? `${path.slice(0, MAX_PATH_CHARS)}…` : path,
  message,
});

const MAX_LISTED_ERRORS = 50;

/** Returns the value of a validation. @throws AppError invalid_request with every error */
export function assertValid<T>(checked: Validation<T>, what: string): T {
  if (checked.kind === 'valid') return checked.value;
  throw new AppError('invalid_request', `${what} is invalid: ${summaryOf(checked.errors)}`, {
    details: checked.errors.slice(0, MAX_LISTED_ERRORS),
  });
}
