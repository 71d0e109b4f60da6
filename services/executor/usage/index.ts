import type { Db } from 'mongodb';
import { errorCode } from '../../../lib/errors';
import { tenantSuspended } from '../../../lib/tenant-suspended';
import type { ServiceContext } from '../../../mixins/service';
import type { Collections } from '../../../runtime/mongo/collections';
import type { RunStore } from '../../../runtime/ports/run-store';
import type { App } from '../../app';
import type { StartParams } from '../../../contracts/executions/views';
import { TenantLimits } from '../limits';
import { HourlyActivity } from './activity';
import { UsageBreakdowns } from './breakdown';
import { DailyStatistics } from './statistics';
import { UsageTotals } from './usage-totals';
import type { StartReservation } from './meter';
import { Quota } from './quota';

const REFUSALS: ReadonlySet<string | undefined> = new Set(['quota_exceeded', 'tenant_suspended']);

/** Usage and limits of tenants. */
export class Usage {
  readonly limits: TenantLimits;
  readonly totals: UsageTotals;
  readonly statistics: DailyStatistics;
  readonly activity: HourlyActivity;
  readonly breakdowns: UsageBreakdowns;
  readonly #quota: Quota;

  constructor(
    private readonly app: Pick<App, 'clock'>,
    db: Db,
    collections: Pick<Collections, 'executions'>,
    private readonly store: Pick<RunStore, 'load'>,
  ) {
    this.limits = new TenantLimits(app);
    this.totals = new UsageTotals(db, collections);
    this.statistics = new DailyStatistics(db, collections, app.clock);
    this.activity = new HourlyActivity(collections, app.clock);
    this.breakdowns = new UsageBreakdowns(db, app.clock);
    this.#quota = new Quota({
      clock: app.clock,
      count: (tenantId, month, until) => this.totals.read(tenantId, month, until),
    });
  }

  /**
   * Reserves quota of the month for a run. Runs that steps start are not metered; in a suspended tenant they wait. A repeated
   * start finds its run, even when the quota is used up meanwhile, or the tenant suspended.
   * @throws AppError quota_exceeded, tenant_suspended
   */
  async place(
    { call, log }: Pick<ServiceContext, 'call' | 'log'>,
    tenantId: string,
    start: Pick<StartParams, 'parent' | 'fresh' | 'execution_id'>,
  ): Promise<StartReservation> {
    if (start.parent !== undefined) return this.#unmetered();
    try {
      if ((await this.limits.of({ call, log }, tenantId)).suspended) throw tenantSuspended();
      return await this.#quota.admit({
        tenantId,
        limit: async () => (await this.limits.of({ call, log }, tenantId)).limits.executions_per_month,
        grace: () => this.#grace({ call, log }, tenantId),
        warn: (message) => log.warn(message),
      });
    } catch (fault) {
      if (!REFUSALS.has(errorCode(fault)) || start.fresh === true) throw fault;
      if ((await this.store.load(start.execution_id)) === null) throw fault;
      return this.#unmetered();
    }
  }

  /** The allowance of the grace period. Without an answer of billing only the current plan applies. */
  async #grace({ call, log }: Pick<ServiceContext, 'call' | 'log'>, tenantId: string): Promise<number> {
    try {
      return await this.limits.allowance({ call }, tenantId);
    } catch (fault) {
      log.debug(`Whether tenant ${tenantId} has a grace is not known`, fault);
      return 0;
    }
  }

  #unmetered(): StartReservation {
    return { at: this.app.clock.now(), settle: () => {} };
  }
}
