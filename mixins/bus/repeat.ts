import { setTimeout as sleep } from 'node:timers/promises';
import { Errors, type Middleware, type ServiceBroker } from 'moleculer';
import { AppError } from '../../lib/errors';
import { isObject } from '../../lib/json';
import { middleware } from './hooks';

const PAUSES_MS = [50, 100, 200, 400];
/** How long somebody is looked for: a dead node is missed after four seconds, and a bus comes back within three. */
const PATIENCE_MS = 8_000;
/** A try that was under way for this long had found somebody; what went wrong then is new trouble. */
const FOUND_MS = 1_000;

/** What a failed call comes to. */
export type Verdict = 'repeat' | 'cut_off' | 'timed_out' | 'pass';

/** What to do after a try of `action` failed. Errors of calls that the callee made itself are none of the caller's. */
export function judge(fault: unknown, action: string, repeatable: boolean): Verdict {
  if (!isObject(fault)) return 'pass';
  // Thrown before anything is sent.
  if (fault instanceof Errors.BrokerDisconnectedError) return 'repeat';
  if (!isObject(fault.data) || fault.data.action !== action) return 'pass';
  switch (fault.type) {
    // Nobody had it: no such endpoint, or one that takes nothing any more.
    case 'SERVICE_NOT_FOUND':
    case 'SERVICE_NOT_AVAILABLE':
      return 'repeat';
    // Somebody had it, and went away: it may have been carried out.
    case 'REQUEST_REJECTED':
      return repeatable ? 'repeat' : 'cut_off';
    case 'REQUEST_TIMEOUT':
    case 'REQUEST_SKIPPED':
      return 'timed_out';
    default:
      return 'pass';
  }
}

/**
 * Calls whose node went away, or that find nobody, are made again with short pauses, as `judge` says. Callers of the
 * `avoidable` ones have another way when nobody is there: they are told at once.
 */
export function repeating(repeatable: ReadonlySet<string>, avoidable: ReadonlySet<string>): Middleware {
  let broker: ServiceBroker;
  return middleware({
    name: 'Repeating',
    created: (made) => void (broker = made),
    remoteAction: (next) => (ctx) =>
      broker.transit?.tx.connected === false
        ? Promise.reject(new Errors.BrokerDisconnectedError('The bus is lost'))
        : next(ctx),
    call: (next) =>
      async function call(action, params, options = {}) {
        const allowedMs = options.timeout ?? broker.options.requestTimeout ?? 0;
        const began = performance.now();
        const endsAt = allowedMs > 0 ? began + allowedMs : Number.POSITIVE_INFINITY;
        let troubleSince = began;
        for (let tries = 0; ; tries++) {
          const now = performance.now();
          try {
            return await next(action, params, tries === 0 ? options : { ...options, timeout: left(endsAt - now) });
          } catch (fault) {
            const verdict = judge(fault, action, repeatable.has(action));
            if (verdict === 'pass') throw fault;
            if (verdict === 'timed_out') throw timedOut(action, fault);
            if (verdict === 'cut_off' || options.nodeID !== undefined) throw unavailable(action, verdict, fault);
            if (performance.now() - now > FOUND_MS) troubleSince = performance.now();
            const until = Math.min(endsAt, troubleSince + PATIENCE_MS);
            if (!(await found(broker, action, tries, until, !avoidable.has(action))))
              throw unavailable(action, verdict, fault);
          }
        }
      },
  });
}

/** Waits for a moment and, if patient, until somebody can be asked; false when the time is over before. */
async function found(
  broker: ServiceBroker,
  action: string,
  tries: number,
  until: number,
  patient: boolean,
): Promise<boolean> {
  for (let looks = tries; ; looks++) {
    const pause = PAUSES_MS[Math.min(looks, PAUSES_MS.length - 1)] as number;
    const endpoints = broker.registry.getActionEndpoints(action);
    const local = endpoints?.hasLocal() === true;
    const there = local || (endpoints?.hasAvailable() === true && broker.transit?.tx.connected === true);
    if (performance.now() + pause > until || (!there && !patient)) return false;
    await sleep(pause);
    if (there) return true;
  }
}

/** Nought would mean without end. */
const left = (ms: number): number => (Number.isFinite(ms) ? Math.max(1, Math.ceil(ms)) : 0);

const timedOut = (action: string, cause: unknown): AppError =>
  new AppError('timed_out', `${action} took too long; it may still take effect`, {}, { cause });

const unavailable = (action: string, verdict: Verdict, cause: unknown): AppError =>
  new AppError(
    'unavailable',
    verdict === 'cut_off'
      ? `The process that worked on ${action} went away; it may have taken effect`
      : `Nobody is there for ${action}; try again`,
    { retry_after: 1 },
    { cause },
  );
