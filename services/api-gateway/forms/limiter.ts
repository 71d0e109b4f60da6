import { AppError } from '../../../lib/errors';
import type { TokenBuckets } from '../../../lib/token-bucket';

const PER_MINUTE = 20;
const RATE = { perSecond: PER_MINUTE / 60, capacity: PER_MINUTE };

/** Counts a sent form against the network of its sender: each may start a run. @throws AppError rate_limited */
export async function admitSubmission(
  buckets: TokenBuckets,
  workflowId: string,
  network: string,
  now: number,
): Promise<void> {
  if ((await buckets.take(`form:${workflowId}:${network}`, RATE, now)) !== null) return;
  throw new AppError('rate_limited', `More than ${PER_MINUTE} forms a minute from your network; wait a moment`, {
    retry_after: Math.ceil(60 / PER_MINUTE),
  });
}
