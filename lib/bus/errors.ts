import { Errors } from 'moleculer';
import { AppError, errorCode, ERRORS } from '../errors';
import { isObject } from '../json';

/**
 * Serializes errors for the bus: AppError with code and data, Moleculer errors unchanged, anything else as `internal`
 * without details. Stacks never leave the process: integrators are on the same bus.
 */
export class BusErrorRegenerator extends Errors.Regenerator {
  #log: { error(...args: unknown[]): void } = console;

  override init(broker: Parameters<Errors.Regenerator['init']>[0]): void {
    super.init(broker);
    this.#log = broker.getLogger('errors');
  }

  override extractPlainError(thrown: unknown): Errors.PlainMoleculerError {
    // Moleculer wraps other thrown values, such as strings, in an error without a type.
    const known = errorCode(thrown) !== undefined || (thrown instanceof Errors.MoleculerError && thrown.type);
    if (known) return plain(thrown as AppError | Errors.MoleculerError);
    this.#log.error('Unexpected error in an action', thrown);
    return plain(new AppError('internal', 'Something went wrong on our side'));
  }

  override restoreCustomError(given: Errors.PlainMoleculerError): Error {
    const code = errorCode(given);
    // Undefined: Moleculer restores its own errors itself.
    if (code === undefined) return undefined as unknown as Error;
    const data: unknown = given.data;
    given.retryable = ERRORS[code].retryable;
    return new AppError(code, String(given.message), isObject(data) ? data : {});
  }
}

function plain(error: AppError | Errors.MoleculerError): Errors.PlainMoleculerError {
  const { name, message, code, type, retryable } = error;
  const data: unknown = error.data;
  return { name, message, code, type, retryable, data };
}
