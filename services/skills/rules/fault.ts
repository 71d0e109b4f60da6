import { AppError, type ErrorDetail } from '../../../lib/errors';

/** A value, or everything that is wrong with what should have given it. */
export type Checked<T> =
  | { readonly kind: 'value'; readonly value: T }
  | { readonly kind: 'faults'; readonly faults: readonly ErrorDetail[] };

export const value = <T>(checked: T): Checked<T> => ({ kind: 'value', value: checked });

export const faulty = (faults: readonly ErrorDetail[]): Checked<never> => ({ kind: 'faults', faults });

/** Characters of a place that are told: an entry of an archive may have a name of 65,535 bytes. */
const LONGEST_PATH = 300;

export const fault = (path: string, message: string): ErrorDetail => ({
  path: path.length > LONGEST_PATH ? `${path.slice(0, LONGEST_PATH)}…` : path,
  message,
});

const MOST_TOLD = 50;

/** The value of a check. @throws AppError invalid_request with every fault */
export function must<T>(checked: Checked<T>, what: string): T {
  if (checked.kind === 'value') return checked.value;
  const [first] = checked.faults;
  const more = checked.faults.length > 1 ? ` (and ${checked.faults.length - 1} more)` : '';
  throw new AppError('invalid_request', `${what} cannot be used: ${first?.path}: ${first?.message}${more}`, {
    details: checked.faults.slice(0, MOST_TOLD),
  });
}
