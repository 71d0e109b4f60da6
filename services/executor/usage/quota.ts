import type { Clock } from '../../../lib/clock';
import { AppError, errorCode, errorMessage } from '../../../lib/errors';
import { type Month, monthOf } from '../../../lib/month';
import { Meter, type Place } from './meter';

export interface QuotaDeps {
  readonly clock: Clock;
  /** Runs of a tenant in a month as of an instant, by their records. */
  readonly count: (tenantId: string, month: Month, until: number) => Promise<number>;
}

/** Who asks for a place: its limit, and where faults go. */
export interface Asking {
  readonly tenantId: string;
  /** Runs in a month; null for any number. */
  readonly limit: () => Promise<number | null>;
  /** What a tenant may start whose plan has just become a lower one; asked before anything is refused. */
  readonly grace: () => Promise<number>;
  readonly warn: (message: string) => void;
}

const MOST_METERS = 20_000;

/**
 * Whether a tenant may start a further run this month. Costs no query as a rule: each process counts its own starts and
 * reads what others have started now and then, the more often the less is left. So at most a tenth of what was left at
 * its last reading, or the starts of a second, are more than they should be, for each further process.
 */
export class Quota {
  readonly #meters = new Map<string, Meter>();

  constructor(private readonly deps: QuotaDeps) {}

  /**
   * A place for a run that begins now. Where nobody can say what was used, there is one: such runs are on record, and
   * count. @throws AppError quota_exceeded
   */
  async admit(asking: Asking): Promise<Place> {
    try {
      return await this.#admit(asking);
    } catch (fault) {
      if (errorCode(fault) === 'quota_exceeded') throw fault;
      asking.warn(
        `What tenant ${asking.tenantId} has used cannot be read, so nothing is refused: ${errorMessage(fault)}`,
      );
      return this.#unmetered();
    }
  }

  async #admit({ tenantId, limit: ask, grace, warn }: Asking): Promise<Place> {
    const limit = await ask();
    if (limit === null) return this.#unmetered();
    const meter = this.#meterOf(tenantId);
    const now = this.deps.clock.now();
    if (!meter.read || (meter.used >= limit && meter.stale(now, limit))) await meter.refresh(now);
    else if (meter.stale(now, limit)) {
      void meter.refresh(now).catch((fault: unknown) => {
        warn(`What tenant ${tenantId} has used cannot be read anew: ${errorMessage(fault)}`);
      });
    }
    if (meter.used < limit) return meter.take(this.deps.clock.now());
    if (meter.used < (await grace())) return meter.take(this.deps.clock.now());
    throw exceeded(limit, meter.month);
  }

  /** The meter of this month; that of the last one is dropped. */
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

  /** One with a place that is open would take its starts with it. */
  #makeRoom(): void {
    if (this.#meters.size < MOST_METERS) return;
    for (const [tenantId, meter] of this.#meters) {
      if (!meter.idle) continue;
      this.#meters.delete(tenantId);
      return;
    }
  }

  #unmetered(): Place {
    return { at: this.deps.clock.now(), settle: () => {} };
  }
}

function exceeded(limit: number, { name, end }: Month): AppError {
  const from = new Date(end).toISOString();
  return new AppError(
    'quota_exceeded',
    `Your plan allows ${limit} executions a month, and all of ${name} are used; upgrade the plan, or start again from ${from} on`,
  );
}
