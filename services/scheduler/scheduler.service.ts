import { schedulerContract } from '../../contracts/scheduler';
import type { ServiceBroker, ServiceSchema } from 'moleculer';
import type { Clock } from '../../lib/clock';
import { sha256 } from '../../lib/crypto';
import { type ServiceContext, defineService } from '../../mixins/service';
import { StartRun } from '../../mixins/start-run';
import { type App, appOf } from '../app';
import type { Call } from '../../contracts/catalogue';
import { type Advance, Claims } from './claims';
import { fireTimes } from './fire-times';
import { fireDue } from './firing';
import { bringUpToDate, createIndexes, schedulerModels } from './models';
import { countSlots } from './metering';
import { pollDue } from './polling';
import { Dispatcher, type DispatcherLimits } from './dispatcher';
import { scheduleActions } from './schedule-actions';
import { Sources } from './sources';
import { ScheduleStore, type Timed } from './store';
import { triggerViews } from './view';

/** The claim of a schedule is longer than one start. */
const SCHEDULE_CLAIM_MS = 10_000;
/** The claim of a source is longer than the poll and the starts of its items. */
const POLL_CLAIM_MS = 90_000;
/** Allows 500 starts per second when each takes one second. */
const SCHEDULE_BOUNDS: DispatcherLimits = { atOnce: 500, ofTenant: 100, room: 100 };
/** Separate limits for polls, so that slow sources do not delay schedules. A poll may use some megabytes. */
const POLL_BOUNDS: DispatcherLimits = { atOnce: 50, ofTenant: 5, room: 10 };

/**
 * Starts workflows at the slots of their schedules and for new items of their sources. Each slot and each item starts one
 * run, with any number of scheduler processes. `clock` is the clock of slots and polls.
 */
export const schedulerService = (app: App, clock: Clock = app.clock): ServiceSchema => {
  const models = schedulerModels(app.db);
  const store = new ScheduleStore(models);
  const now = (): number => clock.now();
  let service: ServiceContext;
  const call: Call = (action, params, options) => service.call(action, params, options);
  const warn = (message: string): void => service.log.warn(message);
  const starts = new StartRun(app);
  const sources = new Sources(app, warn);
  const common = {
    clock,
    gone: ({ record }: Timed): Promise<void> => store.forget(record.tenant_id, record.workflow_id),
    warn,
  };
  const schedules = new Dispatcher({
    ...common,
    bounds: SCHEDULE_BOUNDS,
    grown: (done) => {
      countSlots(app.metrics, done);
      return grown(done);
    },
    claims: new Claims(models, 'schedule', SCHEDULE_CLAIM_MS),
    fire: (schedule) => fireDue({ app, call, starts }, schedule, now),
  });
  const polls = new Dispatcher({
    ...common,
    bounds: POLL_BOUNDS,
    grown,
    claims: new Claims(models, 'poll', POLL_CLAIM_MS),
    fire: (source) => pollDue({ app, call, starts, sources, random: Math.random }, source, now),
  });

  return defineService(app, schedulerContract, {
    handlers: {
      async sync({ params: { workflow_id, revision, active, timers }, tenantId }) {
        await store.sync(tenantId, { workflowId: workflow_id, revision, active, timers }, now());
        schedules.wake();
        polls.wake();
      },
      ...scheduleActions({ app, store, starts, now }),
      fire_times: ({ params, tenantId }) => fireTimes(models, tenantId, params),
      next: async ({ params: { workflow_ids }, tenantId }) => ({ data: await store.next(tenantId, workflow_ids) }),
      async state({ params: { workflow_id }, tenantId, call: callAs }) {
        const timed = await store.ofWorkflow(tenantId, workflow_id);
        return { schedules: await triggerViews(store, callAs, timed) };
      },
    },
    events: { 'cache.stale': { handle: ({ patterns }) => patterns.forEach((pattern) => starts.forget(pattern)) } },
    async started(context) {
      service = context;
      await createIndexes(models);
      await bringUpToDate(models);
      schedules.start();
      polls.start();
    },
    async stopped() {
      await Promise.all([schedules.stop(), polls.stop()]);
      await sources.close();
    },
  });

  /** Prunes histories after a random part of the writes. A history may be some entries longer than its limit. */
  async function grown(done: readonly Advance[]): Promise<void> {
    const due = done.flatMap(({ slots }) => slots).filter(({ _id }) => sha256(_id).startsWith('0'));
    await Promise.all(due.map(({ tenant_id, schedule_id }) => store.prune(tenant_id, schedule_id)));
  }
};

export default (broker: ServiceBroker): ServiceSchema => schedulerService(appOf(broker));
