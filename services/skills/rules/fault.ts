import { AppError, type ErrorDetail, summaryOf } from '../../../lib/errors';

/** A value, or everything that is wrong with what should have given it. */
export type Checked<T> =
  | { readonly kind: 'value'; readonly value: T }
  | { readonly kind: 'faults'; readonly faults: readonly ErrorDetail[] };

export const value = <T>(checked: T): Checked<T> => ({ kind: 'value', value: checked });

export const faulty = (faults: readonly ErrorDetail[]): Checked<never> => ({ kind: 'faults', faults });

/** Characters of a path in a message: an entry of an archive may have a name of 65,535 bytes. */
const MAX_PATH_CHARS = 300;

export const fault = (path: string, message: string): ErrorDetail => ({
  path: path.length > MAX_PATH_CHARS ? `${path.slice(0, MAX_PATH_CHARS)}…` : path,
  message,
});

const MAX_FAULTS = 50;

/** The value of a check. @throws AppError invalid_request with every fault */
export function must<T>(checked: Checked<T>, what: string): T {
  if (checked.kind === 'value') return checked.value;
  throw new AppError('invalid_request', `${what} cannot be used: ${summaryOf(checked.faults)}`, {
    details: checked.faults.slice(0, MAX_FAULTS),
  });
}
