import { ERRORS, errorCode, errorMessage } from '../../lib/errors';
import type { ServiceContext } from '../../mixins/service';
import { Aborted, StepAside } from '../../runtime/actor/deps';
import type { App } from '../app';

/** Pauses between tries of a service that does not answer, in milliseconds; the last one repeats. */
const RETRY_MS = [50, 200, 1_000];

/**
 * What a service answers, however long it takes: a run must not fail because a service is being restarted. A host that
 * alone is cut off from it, or is to stop, leaves the run to others. With a signal, what a service itself says is waited
 * for here, since every other host would hear the same. @throws StepAside, Aborted, and what asking again cannot mend
 */
export async function answered<T>(
  app: App,
  log: ServiceContext['log'],
  what: string,
  ask: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const until = app.clock.now() + app.config.executor.leaseMs;
  for (let tries = 0; ; tries++) {
    try {
      return await ask();
    } catch (fault) {
      if (!isTemporary(fault)) throw fault;
      if (signal?.aborted === true) throw new Aborted();
      const isElsewhere = !app.exclusive && (signal === undefined || !isTold(fault));
      if (app.stopping.aborted || (isElsewhere && app.clock.now() > until))
        throw new StepAside(`${what} cannot be read here: ${errorMessage(fault)}`);
      log.warn(`${what} cannot be read, trying again: ${errorMessage(fault)}`);
      const pause = RETRY_MS[Math.min(tries, RETRY_MS.length - 1)] as number;
      await new Promise<void>((resolve) => app.clock.after(pause, resolve));
    }
  }
}

/**
 * The same for what a step wishes. Looked at before each try: a step that was aborted, or a host that may not act any more,
 * changes nothing. @throws what `assertMay` throws, too
 */
export async function answeredWhileMay<T>(
  app: App,
  log: ServiceContext['log'],
  what: string,
  assertMay: () => void,
  ask: () => Promise<T>,
): Promise<T> {
  const tried = await answered(app, log, what, async () => {
    const refused = thrownBy(assertMay);
    return refused === null ? { kind: 'answered' as const, value: await ask() } : refused;
  });
  if (tried.kind === 'thrown') throw tried.fault;
  return tried.value;
}

/** What a check throws; null where it throws nothing. */
function thrownBy(check: () => void): { readonly kind: 'thrown'; readonly fault: unknown } | null {
  try {
    check();
    return null;
  } catch (fault) {
    return { kind: 'thrown', fault };
  }
}

/** Whether it is an answer of the service, and no trouble on the way there. */
function isTold(fault: unknown): boolean {
  const code = errorCode(fault);
  return code !== undefined && code !== 'internal';
}

/** Whether the same call may succeed later: ours when their code says so, and every fault of the way there. */
function isTemporary(fault: unknown): boolean {
  const code = errorCode(fault);
  return code === undefined || code === 'internal' || ERRORS[code].retryable;
}
