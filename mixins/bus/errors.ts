import { Errors } from 'moleculer';
import { AppError, errorCode, ERRORS } from '../../lib/errors';
import { isObject } from '../../lib/json';

/**
 * How errors travel: ours with code and data, Moleculer's own as they are, anything else without a word of detail. No
 * stack leaves the process in which it was made: integrators are on the same bus.
 */
export class ErrorsOnTheBus extends Errors.Regenerator {
  #log: { error(...words: unknown[]): void } = console;

  override init(broker: Parameters<Errors.Regenerator['init']>[0]): void {
    super.init(broker);
    this.#log = broker.getLogger('errors');
  }

  override extractPlainError(thrown: unknown): Errors.PlainMoleculerError {
    // Moleculer makes an error without a type of whatever else was thrown, a text for one.
    const known = errorCode(thrown) !== undefined || (thrown instanceof Errors.MoleculerError && thrown.type);
    if (known) return plain(thrown as Errors.MoleculerError);
    this.#log.error('An action failed in a way that nobody foresaw', thrown);
    return plain(new AppError('internal', 'Something went wrong on our side'));
  }

  override restoreCustomError(given: Errors.PlainMoleculerError): Error {
    const code = errorCode(given);
    // Undefined leaves it to Moleculer, which makes its own errors anew.
    if (code === undefined) return undefined as unknown as Error;
    const data: unknown = given.data;
    given.retryable = ERRORS[code].retryable;
    return new AppError(code, String(given.message), isObject(data) ? data : {});
  }
}

function plain(error: Errors.MoleculerError): Errors.PlainMoleculerError {
  const { name, message, code, type, retryable } = error;
  const data: unknown = error.data;
  return { name, message, code, type, retryable, data };
}
