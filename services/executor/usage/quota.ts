import type { Clock } from '../../../lib/clock';
import { type AppError, errorCode, errorMessage } from '../../../lib/errors';
import { type Month, monthOf } from '../../../lib/month';
import { Meter, type StartReservation } from './meter';
import { planLimitReached } from '../../../lib/plan-limit';

interface QuotaDeps {
  readonly clock: Clock;
  /** Counts the stored runs of a tenant in a month, up to an instant. */
  readonly count: (tenantId: string, month: Month, until: number) => Promise<number>;
}

/** A request for quota. */
interface QuotaRequest {
  readonly tenantId: string;
  /** Runs per month; null: no limit. */
  readonly limit: () => Promise<number | null>;
  /** The limit during the grace period after a downgrade. Called before a run is refused. */
  readonly grace: () => Promise<number>;
  readonly warn: (message: string) => void;
}

const MAX_METERS = 20_000;

/**
 * Enforces the monthly quota of runs. A start usually needs no query: each process counts its own starts and reads the
 * total from time to time, more often when less quota is left. Each further process can exceed the limit by at most a tenth
 * of the quota that was left at its last reading, or by the starts of one second.
 */
export class Quota {
  readonly #meters = new Map<string, Meter>();

  constructor(private readonly deps: QuotaDeps) {}

  /**
   * Reserves quota for a run that starts now. Allows the run when the usage cannot be read; the run still counts.
   * @throws AppError quota_exceeded
   */
  async admit(asking: QuotaRequest): Promise<StartReservation> {
    try {
      return await this.#admit(asking);
    } catch (fault) {
      if (errorCode(fault) === 'quota_exceeded') throw fault;
      asking.warn(`Usage of tenant ${asking.tenantId} not readable; the quota is not enforced: ${errorMessage(fault)}`);
      return this.#unmetered();
    }
  }

  async #admit({ tenantId, limit: ask, grace, warn }: QuotaRequest): Promise<StartReservation> {
    const limit = await ask();
    if (limit === null) return this.#unmetered();
    const meter = this.#meterOf(tenantId);
    const now = this.deps.clock.now();
    if (!meter.read || (meter.used >= limit && meter.stale(now, limit))) await meter.refresh(now);
    else if (meter.stale(now, limit)) {
      void meter.refresh(now).catch((fault: unknown) => {
        warn(`Usage of tenant ${tenantId} could not be refreshed: ${errorMessage(fault)}`);
      });
    }
    if (meter.used < limit) return meter.take(this.deps.clock.now());
    if (meter.used < (await grace())) return meter.take(this.deps.clock.now());
    throw exceeded(limit, meter.month);
  }

  /** The meter of the current month. Drops the meter of an earlier month. */
  #meterOf(tenantId: string): Meter {
    const month = monthOf(this.deps.clock.now());
    const known = this.#meters.get(tenantId);
    if (known?.month.name === month.name) return known;
    const meter = new Meter(month, (until) => this.deps.count(tenantId, month, until));
    this.#meters.delete(tenantId);
    this.#makeRoom();
    this.#meters.set(tenantId, meter);
    return meter;
  }

  /** Evicts the oldest meter without pending starts; pending starts exist only in memory. */
  #makeRoom(): void {
    if (this.#meters.size < MAX_METERS) return;
    for (const [tenantId, meter] of this.#meters) {
      if (!meter.idle) continue;
      this.#meters.delete(tenantId);
      return;
    }
  }

  #unmetered(): StartReservation {
    return { at: this.deps.clock.now(), settle: () => {} };
  }
}

const exceeded = (max: number, { name, end }: Month): AppError =>
  planLimitReached({
    limit: 'executions_per_month',
    max,
    excess: `all of ${name} are used`,
    remedy: `start again from ${new Date(end).toISOString()} on`,
  });
