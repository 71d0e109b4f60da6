import type { Db } from 'mongodb';
import { errorCode } from '../../../lib/errors';
import type { ServiceContext } from '../../../mixins/service';
import type { Collections } from '../../../runtime/store/mongo/collections';
import type { RunStore } from '../../../runtime/store/port';
import type { App } from '../../app';
import type { StartParams } from '../contract';
import { TenantLimits } from '../limits';
import { Figures } from './figures';
import { UsageLedger } from './ledger';
import type { Place } from './meter';
import { Quota } from './quota';

/** What tenants have used, and may use. */
export class Usage {
  readonly limits: TenantLimits;
  readonly ledger: UsageLedger;
  readonly figures: Figures;
  readonly #quota: Quota;

  constructor(
    private readonly app: Pick<App, 'clock'>,
    db: Db,
    collections: Pick<Collections, 'executions'>,
    private readonly store: Pick<RunStore, 'load'>,
  ) {
    this.limits = new TenantLimits(app);
    this.ledger = new UsageLedger(db, collections);
    this.figures = new Figures(db, collections, app.clock);
    this.#quota = new Quota({
      clock: app.clock,
      count: (tenantId, month, until) => this.ledger.read(tenantId, month, until),
    });
  }

  async createIndexes(): Promise<void> {
    await Promise.all([this.ledger.createIndexes(), this.figures.createIndexes()]);
  }

  /**
   * A place in the tenant's month for a run. Runs that steps of other runs start need none, and a start that happened
   * before finds its run whatever was used since. @throws AppError quota_exceeded
   */
  async place(
    { call, log }: Pick<ServiceContext, 'call' | 'log'>,
    tenantId: string,
    start: Pick<StartParams, 'parent' | 'fresh' | 'execution_id'>,
  ): Promise<Place> {
    if (start.parent !== undefined) return this.#unmetered();
    try {
      return await this.#quota.admit({
        tenantId,
        limit: async () => (await this.limits.of({ call, log }, tenantId)).executions_per_month,
        grace: () => this.#grace({ call, log }, tenantId),
        warn: (message) => log.warn(message),
      });
    } catch (fault) {
      if (errorCode(fault) !== 'quota_exceeded' || start.fresh === true) throw fault;
      if ((await this.store.load(start.execution_id)) === null) throw fault;
      return this.#unmetered();
    }
  }

  /** Where billing does not answer, the plan as it is counts. */
  async #grace({ call, log }: Pick<ServiceContext, 'call' | 'log'>, tenantId: string): Promise<number> {
    try {
      return await this.limits.allowance({ call }, tenantId);
    } catch (fault) {
      log.debug(`Whether tenant ${tenantId} has a grace is not known`, fault);
      return 0;
    }
  }

  #unmetered(): Place {
    return { at: this.app.clock.now(), settle: () => {} };
  }
}
