import { AppError, isRefused } from '../../lib/errors';
import { PeriodicTask } from '../../lib/periodic';
import type { Json } from '../../lib/json';
import { hashJsonSliced } from '../../lib/json/hash-sliced';
import type { Gateway } from './gateway';
import { type Answer, REPLAYED } from './http/answer';
import type { GatewayRequest } from './http/request';

const KEY = /^[\x21-\x7e]{1,255}$/;

/** How long work may continue after its client was answered with a time-out. */
const MAX_WORK_MS = 3_600_000;
/** A lease is renewed this often before it would end. */
const RENEWALS_PER_LEASE = 4;

/** The request's Idempotency-Key, or undefined. @throws AppError invalid_request */
export function idempotencyKeyOf(request: GatewayRequest): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined || (typeof key === 'string' && KEY.test(key))) return key;
  throw new AppError('invalid_request', 'The Idempotency-Key must be 1 to 255 visible ASCII characters');
}

/** A request that carries an Idempotency-Key. */
interface KeyedRequest {
  /** Caller and route: a key in another scope is another key. */
  readonly scope: string;
  readonly key: string;
  readonly body: Json;
  readonly work: (timeoutMs: number) => Promise<Answer>;
}

/** A key that this request owns. */
interface OwnedKey {
  readonly scope: string;
  readonly key: string;
  /** Absent when a process of an older version acquired the key. */
  readonly owner?: string | undefined;
}

/**
 * Does the work once per scope and key: a repeat receives the first answer, and does nothing.
 *
 * The request owns the key while the work continues, also after its client was answered with a time-out; a repeat then receives
 * the answer. A refusal releases the key, so that the corrected request may use it. When the outcome is unknown (a crash in
 * the middle), the key stays owned until its lease ends.
 */
export async function withIdempotencyKey(
  gateway: Gateway,
  request: GatewayRequest,
  keyed: KeyedRequest,
): Promise<Answer> {
  const { scope, key, body } = keyed;
  const begun = await gateway.call(
    'channels.begin_once',
    { scope, key, body_hash: await hashJsonSliced(body) },
    null,
    request,
  );
  if (begun.kind === 'replay') return { status: begun.status, headers: REPLAYED, body: begun.body };
  const owned = { scope, key, owner: begun.owner };
  const release = begun.lease_ms === undefined ? () => {} : keepLease(gateway, request, owned, begun.lease_ms);
  return withinRequestTime(gateway, carryOut(gateway, request, owned, keyed.work).finally(release));
}

async function carryOut(
  gateway: Gateway,
  request: GatewayRequest,
  owned: OwnedKey,
  work: KeyedRequest['work'],
): Promise<Answer> {
  let answer: Answer;
  try {
    answer = await work(Math.max(MAX_WORK_MS, gateway.app.config.requestTimeoutMs));
  } catch (error) {
    if (isRefused(error)) {
      await gateway
        .call('channels.abandon_once', owned, null, request)
        .catch((fault: unknown) => gateway.log.warn('An idempotency key was not freed; it stays taken a while', fault));
    }
    throw error;
  }
  const kept = { ...owned, status: answer.status, body: (answer.body ?? null) as Json };
  // The answer is sent even when it cannot be kept: it may hold a key that is nowhere else.
  await gateway
    .call('channels.finish_once', kept, null, request)
    .catch((fault: unknown) => gateway.log.warn('An answer was not kept for repeats of its request', fault));
  return answer;
}

/** Renews the lease of a key until it is released. A renewal that fails is tried again at the next time. */
function keepLease(gateway: Gateway, request: GatewayRequest, owned: OwnedKey, leaseMs: number): () => void {
  const { clock } = gateway.app;
  const { scope, key, owner = '' } = owned;
  const everyMs = leaseMs / RENEWALS_PER_LEASE;
  const renewal = new PeriodicTask({
    clock,
    intervalMs: everyMs,
    run: async () => {
      const { held } = await gateway.call('channels.renew_once', { scope, key, owner }, null, request, everyMs);
      if (!held) gateway.log.warn('An idempotency key was taken over while its request was carried out');
    },
    onError: (error) => gateway.log.warn('The lease of an idempotency key was not renewed', error),
  });
  renewal.start();
  return () => void renewal.stop();
}

/** The outcome, or a time-out when it takes longer than a request may; the work goes on then. @throws AppError timed_out */
async function withinRequestTime(gateway: Gateway, working: Promise<Answer>): Promise<Answer> {
  const { config, clock } = gateway.app;
  let cancel = (): void => {};
  const late = new Promise<never>((_, reject) => {
    cancel = clock.after(config.requestTimeoutMs, () => {
      working.catch((fault: unknown) => gateway.log.warn('A request failed after its client was timed out', fault));
      reject(
        new AppError('timed_out', 'The request takes too long; repeat it with this Idempotency-Key for its answer'),
      );
    });
  });
  try {
    return await Promise.race([working, late]);
  } finally {
    cancel();
  }
}
