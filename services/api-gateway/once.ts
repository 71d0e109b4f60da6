import { sha256 } from '../../lib/crypto';
import { AppError, errorCode, ERRORS } from '../../lib/errors';
import { hashJson, type Json } from '../../lib/json';
import type { Gateway } from './gateway';
import { type Answer, REPLAYED } from './http/answer';
import { bearerOf, type GatewayRequest } from './http/request';

const KEY = /^[\x21-\x7e]{1,255}$/;

/** The request's Idempotency-Key, or undefined. @throws AppError invalid_request */
export function idempotencyKeyOf(request: GatewayRequest): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined || (typeof key === 'string' && KEY.test(key))) return key;
  throw new AppError('invalid_request', 'The Idempotency-Key must be 1 to 255 visible ASCII characters');
}

/**
 * Does the work once per credential, route and key: a repeat gets the first answer again, without doing anything.
 *
 * A refusal is forgotten, so that the mended request may use its key. When nobody knows whether the work was done
 * (time-out, crash), the key stays taken until the store lets another try take it over.
 */
export async function once(
  gateway: Gateway,
  request: GatewayRequest,
  key: string,
  body: Json,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const scope = sha256(`${bearerOf(request) ?? ''}\n${request.method}\n${request.pathname}`);
  const begun = await gateway.call('channels.begin_once', { scope, key, body_hash: hashJson(body) }, null, request);
  if (begun.kind === 'replay') {
    return { status: begun.status, headers: REPLAYED, body: begun.body };
  }
  let answer: Answer;
  try {
    answer = await work();
  } catch (error) {
    if (isRefusal(error)) {
      await gateway
        .call('channels.abandon_once', { scope, key }, null, request)
        .catch((fault: unknown) => gateway.log.warn('An idempotency key was not freed; it stays taken a while', fault));
    }
    throw error;
  }
  const kept = { scope, key, status: answer.status, body: (answer.body ?? null) as Json };
  // What was done is told even when it cannot be kept: the answer may hold a key that is nowhere else.
  await gateway
    .call('channels.finish_once', kept, null, request)
    .catch((fault: unknown) => gateway.log.warn('An answer was not kept for repeats of its request', fault));
  return answer;
}

/** True for errors that say for certain that nothing was done. */
function isRefusal(thrown: unknown): boolean {
  const code = errorCode(thrown);
  return code !== undefined && ERRORS[code].status < 500;
}
