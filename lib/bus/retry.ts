import { setTimeout as sleep } from 'node:timers/promises';
import { Errors, type Middleware, type ServiceBroker } from 'moleculer';
import { backoffMs } from '../backoff';
import { AppError } from '../errors';
import { isObject } from '../json';
import { middleware } from './hooks';
import { isConnected } from './internals';

const RETRY = { firstMs: 100, maxMs: 400 };
/** How long to wait for an endpoint: a dead node is detected after four seconds, and a bus reconnects within three. */
const MAX_ENDPOINT_WAIT_MS = 8_000;
/** A try that ran this long had reached a node; a failure after it starts a new waiting period. */
const REACHED_MS = 1_000;

/** How to handle a failed call. */
export type FailureKind = 'repeat' | 'cut_off' | 'timed_out' | 'pass';

/** Classifies the failure of a try of `action`. Errors of nested calls are passed on. */
export function classifyFailure(fault: unknown, action: string, idempotent: boolean): FailureKind {
  if (!isObject(fault)) return 'pass';
  // Thrown before anything is sent.
  if (fault instanceof Errors.BrokerDisconnectedError) return 'repeat';
  if (!isObject(fault.data) || fault.data.action !== action) return 'pass';
  switch (fault.type) {
    // Not delivered: no such endpoint, or the node accepts no more calls.
    case 'SERVICE_NOT_FOUND':
    case 'SERVICE_NOT_AVAILABLE':
      return 'repeat';
    // Delivered to a node that went away: the action may have run.
    case 'REQUEST_REJECTED':
      return idempotent ? 'repeat' : 'cut_off';
    case 'REQUEST_TIMEOUT':
    case 'REQUEST_SKIPPED':
      return 'timed_out';
    default:
      return 'pass';
  }
}

/**
 * Retries calls whose node went away or that no node offers, with short pauses (see `classifyFailure`). Calls of
 * actions in `hasFallback` fail at once when no node offers them.
 */
export function retryCalls(idempotent: ReadonlySet<string>, hasFallback: ReadonlySet<string>): Middleware {
  let broker: ServiceBroker;
  return middleware({
    name: 'RetryCalls',
    created: (made) => void (broker = made),
    remoteAction: (next) => (ctx) =>
      isConnected(broker) === false
        ? Promise.reject(new Errors.BrokerDisconnectedError('The connection to NATS is lost'))
        : next(ctx),
    call: (next) =>
      async function call(action, params, options = {}) {
        const allowedMs = options.timeout ?? broker.options.requestTimeout ?? 0;
        const began = performance.now();
        const endsAt = allowedMs > 0 ? began + allowedMs : Number.POSITIVE_INFINITY;
        let waitingSince = began;
        for (let tries = 0; ; tries++) {
          const now = performance.now();
          try {
            return await next(
              action,
              params,
              tries === 0 ? options : { ...options, timeout: remainingMs(endsAt - now) },
            );
          } catch (fault) {
            const kind = classifyFailure(fault, action, idempotent.has(action));
            if (kind === 'pass') throw fault;
            if (kind === 'timed_out') throw timedOut(action, fault);
            if (kind === 'cut_off' || options.nodeID !== undefined) throw unavailable(action, kind, fault);
            if (performance.now() - now > REACHED_MS) waitingSince = performance.now();
            const until = Math.min(endsAt, waitingSince + MAX_ENDPOINT_WAIT_MS);
            if (!(await waitForEndpoint(broker, action, tries, until, !hasFallback.has(action))))
              throw unavailable(action, kind, fault);
          }
        }
      },
  });
}

/** Waits a moment, then (if `shouldWait`) until the action has an endpoint; false at the deadline. */
async function waitForEndpoint(
  broker: ServiceBroker,
  action: string,
  tries: number,
  until: number,
  shouldWait: boolean,
): Promise<boolean> {
  for (let attempt = tries; ; attempt++) {
    const pause = backoffMs(RETRY, attempt + 1, Math.random());
    const endpoints = broker.registry.getActionEndpoints(action);
    const local = endpoints?.hasLocal() === true;
    const there = local || (endpoints?.hasAvailable() === true && isConnected(broker) === true);
    if (performance.now() + pause > until || (!there && !shouldWait)) return false;
    await sleep(pause);
    if (there) return true;
  }
}

/** Zero would disable the timeout. */
const remainingMs = (ms: number): number => (Number.isFinite(ms) ? Math.max(1, Math.ceil(ms)) : 0);

const timedOut = (action: string, cause: unknown): AppError =>
  new AppError('timed_out', `${action} timed out; it may still take effect`, {}, { cause });

const unavailable = (action: string, kind: FailureKind, cause: unknown): AppError =>
  new AppError(
    'unavailable',
    kind === 'cut_off'
      ? `The process that ran ${action} went away; the call may have taken effect`
      : `No process offers ${action} now; try again`,
    { retry_after: 1 },
    { cause },
  );
