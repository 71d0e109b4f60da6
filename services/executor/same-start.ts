import { AppError } from '../../lib/errors';
import type { Json, JsonObject } from '../../lib/json';
import { hashJsonSliced } from '../../lib/json/hash-sliced';
import type { SameStart } from '../../contracts/executions/views';

const MEMBERS: Readonly<Record<Exclude<SameStart, 'trigger'>, readonly string[]>> = {
  body: ['body', 'files'],
  request: ['body', 'files', 'query'],
};

/**
 * Rejects an idempotency key that was used with another input, which the record of the first start contains.
 * @throws AppError idempotency_mismatch
 */
export async function assertSameStart(
  same: SameStart | undefined,
  first: JsonObject,
  second: JsonObject,
): Promise<void> {
  if (same === undefined) return;
  const compared = (trigger: JsonObject) => hashJsonSliced(comparedOf(same, trigger));
  if ((await compared(first)) === (await compared(second))) return;
  throw new AppError('idempotency_mismatch', MISMATCH);
}

export const MISMATCH = 'This Idempotency-Key was used before with another body; use a new key for a new request';

/** The part of a trigger that a repeat must have. */
export const comparedOf = (same: SameStart, trigger: JsonObject): Json =>
  same === 'trigger' ? trigger : MEMBERS[same].map((name) => trigger[name] ?? null);
