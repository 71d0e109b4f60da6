import { type Compute, ComputeError, type defineTask } from '../../../../lib/compute';
import { AppError } from '../../../../lib/errors';
import {
  type AssertionResult,
  assertionTask,
  type CredentialUse,
  type RegistrationResult,
  registrationTask,
} from './task';
import type { StoredCredential } from '../models';

/** A few signatures; the rest is the start of a thread on a busy machine. */
const VERIFY_TIMEOUT_MS = 5_000;

type Task<I, R> = ReturnType<typeof defineTask<I, R>>;
type InputOf<T> = T extends Task<infer I, unknown> ? I : never;

/** On a compute thread: clients write what is parsed, and the package takes a quarter of a second to load. @throws AppError invalid_passkey, unavailable */
export async function verifyRegistration(
  compute: Compute,
  input: InputOf<typeof registrationTask>,
): Promise<StoredCredential> {
  const result: RegistrationResult = await onThread(compute, registrationTask, input);
  if (result.kind === 'registered') return result.stored;
  throw invalidPasskey(result.reason);
}

/** The same for a passkey that is used. @throws AppError invalid_passkey, unavailable */
export async function verifyAssertion(compute: Compute, input: InputOf<typeof assertionTask>): Promise<CredentialUse> {
  const result: AssertionResult = await onThread(compute, assertionTask, input);
  if (result.kind === 'asserted') return result.use;
  throw invalidPasskey(result.reason);
}

/** Of a reason that has parts of the answer in it. */
const MAX_REASON_CHARS = 300;

export const invalidPasskey = (reason: string): AppError =>
  new AppError('invalid_passkey', `The passkey is not accepted: ${reason.slice(0, MAX_REASON_CHARS)}`);

async function onThread<I, R>(compute: Compute, task: Task<I, R>, input: I): Promise<R> {
  try {
    return await compute.run(task, input, { timeoutMs: VERIFY_TIMEOUT_MS });
  } catch (fault) {
    if (!(fault instanceof ComputeError)) throw fault;
    if (fault.retryable) throw new AppError('unavailable', fault.message, {}, { cause: fault });
    throw new AppError('invalid_passkey', 'The answer of the passkey is too complex to check', {}, { cause: fault });
  }
}
