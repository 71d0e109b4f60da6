import { backoffMs } from '../../lib/backoff';
import { ERRORS, errorCode, errorMessage } from '../../lib/errors';
import type { ServiceContext } from '../../mixins/service';
import { Aborted, DependencyUnavailable } from '../../runtime/execution/deps';
import type { App } from '../app';

const RETRY = { firstMs: 100, maxMs: 1_000 };

/**
 * Retries a call while its service is unavailable: a run must not fail because a service restarts. A host that is
 * disconnected from the service, or shuts down, releases the run to other hosts. With a signal, retryable errors of the
 * service itself are retried here without a limit, because other hosts would get the same errors.
 * @throws DependencyUnavailable, Aborted, and errors that are not retryable
 */
export async function retryUntilAvailable<T>(
  app: App,
  log: ServiceContext['log'],
  what: string,
  ask: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const until = app.clock.now() + app.config.executor.leaseMs;
  for (let failures = 1; ; failures++) {
    try {
      return await ask();
    } catch (fault) {
      if (!isTemporary(fault)) throw fault;
      if (signal?.aborted === true) throw new Aborted();
      const isElsewhere = !app.exclusive && (signal === undefined || !isServiceAnswer(fault));
      if (app.stopping.aborted || (isElsewhere && app.clock.now() > until))
        throw new DependencyUnavailable(`${what} cannot be read here: ${errorMessage(fault)}`);
      log.warn(`${what} unavailable; retrying: ${errorMessage(fault)}`);
      await new Promise<void>((resolve) => app.clock.after(backoffMs(RETRY, failures, Math.random()), resolve));
    }
  }
}

/**
 * The same for a platform call of a step. `assertMay` is checked before each attempt, so that an aborted step, or a host that
 * has lost the run, changes nothing. @throws also the error of `assertMay`
 */
export async function retryWhileAllowed<T>(
  app: App,
  log: ServiceContext['log'],
  what: string,
  assertMay: () => void,
  ask: () => Promise<T>,
): Promise<T> {
  const tried = await retryUntilAvailable(app, log, what, async () => {
    const refused = thrownBy(assertMay);
    return refused === null ? { kind: 'answered' as const, value: await ask() } : refused;
  });
  if (tried.kind === 'thrown') throw tried.fault;
  return tried.value;
}

/** The error of a check; null without one. */
function thrownBy(check: () => void): { readonly kind: 'thrown'; readonly fault: unknown } | null {
  try {
    check();
    return null;
  } catch (fault) {
    return { kind: 'thrown', fault };
  }
}

/** True when the service itself returned the error; false for a transport failure. */
function isServiceAnswer(fault: unknown): boolean {
  const code = errorCode(fault);
  return code !== undefined && code !== 'internal';
}

/** True for errors with a retryable code and for all transport failures. */
function isTemporary(fault: unknown): boolean {
  const code = errorCode(fault);
  return code === undefined || code === 'internal' || ERRORS[code].retryable;
}
