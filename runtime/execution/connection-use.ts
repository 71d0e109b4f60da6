import type { Clock } from '../../lib/clock';
import type { ConnectionQuota, ConnectionResult, Outcome } from '../../nodes/contract';
import type { AttemptResult } from '../core/decide/event';
import { type ConnectionLimits, type ConnectionRequester, quotaIdOf } from '../core/decide/quota';
import { Aborted } from './deps';
import { ClaimLost } from './journal';
import type { Quotas } from './quotas';

const RETRY_MS = 500;

interface ConnectionUseDeps {
  readonly quotas: Quotas;
  readonly clock: Clock;
  readonly tenantId: string;
  readonly asking: () => ConnectionRequester;
  /** Stores the run and marks it for versions that know the wait. */
  readonly mark: () => Promise<void>;
  /** @throws Aborted */
  readonly assertMayBegin: () => void;
  readonly isHere: () => boolean;
  /** The run has a simulated time, which stands still during an attempt: the attempt itself waits, in the time of the host. */
  readonly waitsHere: boolean;
  /** Holds back the steps of a connection until a time, or for as long as may be at most. */
  readonly pause: (connection: string, until: number) => void;
  readonly onFault: (fault: unknown) => void;
}

/** The use of a connection by one attempt. */
export class AttemptConnection {
  #connection: string | null = null;
  #held: { key: string; limits: ConnectionLimits } | null = null;

  constructor(private readonly deps: ConnectionUseDeps) {}

  /** Null when the attempt may begin; else it waits. Retries while the store does not answer. @throws ClaimLost, Aborted */
  async admit({ connection, quota }: Extract<ConnectionResult, { kind: 'ready' }>): Promise<AttemptResult | null> {
    const { id } = connection;
    this.#connection = id;
    if (quota === undefined) return null;
    if (!this.#isPaused(quota) && quota.rate === null && quota.concurrency === null) return null;
    for (;;) {
      const until = await this.#ask(id, quota);
      if (until === null) return null;
      if (!this.deps.waitsHere) return { kind: 'hold', connection: id, until };
      await this.#sleep(Math.max(0, until - this.deps.clock.now()));
    }
  }

  /** When to ask again; null: the attempt may begin. */
  async #ask(id: string, quota: ConnectionQuota): Promise<number | null> {
    const { quotas, mark, assertMayBegin, asking, tenantId, onFault } = this.deps;
    const key = quotaIdOf(tenantId, id);
    for (;;) {
      assertMayBegin();
      try {
        await mark();
        if (this.#isPaused(quota)) return quota.pausedUntil;
        if (quota.rate === null && quota.concurrency === null) return null;
        // Before the answer, which may be lost.
        this.#held = { key, limits: quota };
        const until = await quotas.ask(key, quota, asking());
        if (until !== null) this.#held = null;
        return until;
      } catch (fault) {
        if (fault instanceof ClaimLost || fault instanceof Aborted) throw fault;
        onFault(fault);
        await this.#sleep(RETRY_MS);
      }
    }
  }

  #isPaused({ pausedUntil }: ConnectionQuota): boolean {
    return pausedUntil !== null && pausedUntil > this.deps.clock.now();
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.deps.clock.after(ms, resolve));
  }

  /** The attempt has a result: what the provider asked for is known to other steps. */
  learn(outcome: AttemptResult | Outcome): void {
    if (this.#connection === null || outcome.kind !== 'fail' || (outcome.retryAfterMs ?? 0) <= 0) return;
    const until = this.deps.clock.now() + (outcome.retryAfterMs as number);
    this.deps.pause(this.#connection, until);
  }

  /** The attempt is over. */
  end(): void {
    if (this.#held === null) return;
    const { key, limits } = this.#held;
    this.#held = null;
    void this.deps.quotas.release(key, limits, this.deps.asking(), this.deps.isHere);
  }
}
