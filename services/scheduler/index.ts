import type { ServiceSchema } from 'moleculer';
import type { Clock } from '../../lib/clock';
import { sha256 } from '../../lib/crypto';
import { type ServiceContext, defineService } from '../../mixins/service';
import type { App } from '../app';
import type { Call } from '../catalogue';
import { type Advance, Claims } from './claims';
import { fireDue } from './firing';
import { bringUpToDate, createIndexes, schedulerModels } from './models';
import { countSlots } from './metering';
import { pollDue } from './polling';
import { Pump, type PumpBounds } from './pump';
import { Sources } from './sources';
import { ScheduleStore, type Timed } from './store';
import { triggerViews } from './view';

const id = { type: 'string', min: 1, max: 100 } as const;
const count = { type: 'number', integer: true, min: 0 } as const;
const word = { type: 'string', max: 200, nullable: true } as const;

const scheduleTimer = {
  type: 'object',
  props: {
    kind: { type: 'equal', value: 'schedule', strict: true },
    index: count,
    cron: word,
    every: word,
    every_ms: { ...count, nullable: true },
    timezone: { type: 'string', max: 200 },
    jitter_ms: count,
    missed: { type: 'enum', values: ['skip', 'last', 'all'] },
    window_ms: count,
    overlap: { type: 'enum', values: ['allow', 'skip', 'queue'] },
  },
} as const;

const pollTimer = {
  type: 'object',
  props: {
    kind: { type: 'equal', value: 'poll', strict: true },
    index: count,
    type: { type: 'string', max: 100 },
    every: { type: 'string', max: 200 },
    every_ms: { type: 'number', integer: true, min: 1 },
    config: { type: 'string', max: 1_000_000 },
  },
} as const;

/** A claim of a schedule outlasts one start. */
const SCHEDULE_CLAIM_MS = 10_000;
/** That of a source outlasts the poll, and the starts of what it has found. */
const POLL_CLAIM_MS = 90_000;
/** Enough for five hundred starts a second when each takes one. */
const SCHEDULE_BOUNDS: PumpBounds = { atOnce: 500, ofTenant: 100, room: 100 };
/** Polls have a room of their own, so that a slow source never keeps a time waiting. Each may hold some megabytes. */
const POLL_BOUNDS: PumpBounds = { atOnce: 50, ofTenant: 5, room: 10 };

/**
 * Starts workflows when their time comes, each slot once, and when their sources have something new, each item once,
 * over any number of schedulers. `clock` is that of slots and polls.
 */
export const schedulerService = (app: App, clock: Clock = app.clock): ServiceSchema => {
  const models = schedulerModels(app.db);
  const store = new ScheduleStore(models);
  const now = (): number => clock.now();
  let service: ServiceContext;
  const call: Call = (action, params, options) => service.call(action, params, options);
  const warn = (message: string): void => service.log.warn(message);
  const sources = new Sources(app, warn);
  const common = {
    clock,
    gone: ({ record }: Timed): Promise<void> => store.forget(record.tenant_id, record.workflow_id),
    warn,
  };
  const schedules = new Pump({
    ...common,
    bounds: SCHEDULE_BOUNDS,
    grown: (done) => {
      countSlots(app.metrics, done);
      return grown(done);
    },
    claims: new Claims(models, 'schedule', SCHEDULE_CLAIM_MS),
    fire: (schedule) => fireDue(app, call, schedule, now),
  });
  const polls = new Pump({
    ...common,
    bounds: POLL_BOUNDS,
    grown,
    claims: new Claims(models, 'poll', POLL_CLAIM_MS),
    fire: (source) => pollDue({ app, call, sources, random: Math.random }, source, now),
  });

  return defineService(app, 'scheduler', {
    actions: {
      sync: {
        access: 'internal',
        summary: 'Makes the schedules and sources of a workflow what its triggers say',
        params: {
          workflow_id: id,
          revision: count,
          active: { type: 'boolean' },
          timers: { type: 'array', max: 100, items: [scheduleTimer, pollTimer] },
        },
        async handle({ params: { workflow_id, revision, active, timers }, tenantId }) {
          await store.sync(tenantId, { workflowId: workflow_id, revision, active, timers }, now());
          schedules.poke();
          polls.poke();
        },
      },
      state: {
        access: 'internal',
        summary: 'The schedules and sources of a workflow: when they are due, and what became of their last times',
        params: { workflow_id: id },
        async handle({ params: { workflow_id }, tenantId, call: callAs }) {
          const timed = await store.ofWorkflow(tenantId, workflow_id);
          return { schedules: await triggerViews(store, callAs, timed) };
        },
      },
    },
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

  /** Now and then is enough: a ledger may be some lines longer than what is shown of it. */
  async function grown(done: readonly Advance[]): Promise<void> {
    const due = done.flatMap(({ slots }) => slots).filter(({ _id }) => sha256(_id).startsWith('0'));
    await Promise.all(due.map(({ tenant_id, schedule_id }) => store.prune(tenant_id, schedule_id)));
  }
};
