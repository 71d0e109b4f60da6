import type { ServiceSchema } from 'moleculer';
import type { Clock } from '../../lib/clock';
import { sha256 } from '../../lib/crypto';
import { type ServiceContext, defineService } from '../../mixins/service';
import type { App } from '../app';
import { type Advance, Claims } from './claims';
import { fireDue } from './firing';
import { schedulerModels } from './models';
import { Pump } from './pump';
import { scheduleView } from './view';
import { ScheduleStore } from './store';

const id = { type: 'string', min: 1, max: 100 } as const;
const count = { type: 'number', integer: true, min: 0 } as const;
const word = { type: 'string', max: 200, nullable: true } as const;

const timer = {
  type: 'object',
  props: {
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

/** Starts workflows when their time comes: each slot once, over any number of schedulers. `clock` is that of the slots. */
export const schedulerService = (app: App, clock: Clock = app.clock): ServiceSchema => {
  const models = schedulerModels(app.db);
  const store = new ScheduleStore(models);
  const now = (): number => clock.now();
  let service: ServiceContext;
  const pump = new Pump({
    claims: new Claims(models),
    clock,
    fire: (schedule) => fireDue(app, service.call, schedule, now),
    gone: ({ record }) => store.forget(record.tenant_id, record.workflow_id),
    grown,
    warn: (message) => service.log.warn(message),
  });

  return defineService(app, 'scheduler', {
    actions: {
      sync: {
        access: 'internal',
        summary: 'Makes the schedules of a workflow what its triggers say',
        params: {
          workflow_id: id,
          revision: count,
          active: { type: 'boolean' },
          timers: { type: 'array', max: 100, items: timer },
        },
        async handle({ params: { workflow_id, revision, active, timers }, tenantId }) {
          await store.sync(tenantId, { workflowId: workflow_id, revision, active, timers }, now());
          pump.poke();
        },
      },
      state: {
        access: 'internal',
        summary: 'The schedules of a workflow: when they will start, and what became of their last times',
        params: { workflow_id: id },
        async handle({ params: { workflow_id }, tenantId, call }) {
          const schedules = await store.ofWorkflow(tenantId, workflow_id);
          return { schedules: await Promise.all(schedules.map((each) => scheduleView(store, call, each))) };
        },
      },
    },
    async started(context) {
      service = context;
      await Promise.all([models.schedules.createIndexes(), models.slots.createIndexes()]);
      pump.start();
    },
    stopped: () => pump.stop(),
  });

  /** Now and then is enough: a ledger may be some lines longer than what is shown of it. */
  async function grown(done: readonly Advance[]): Promise<void> {
    const due = done.flatMap(({ slots }) => slots).filter(({ _id }) => sha256(_id).startsWith('0'));
    await Promise.all(due.map(({ tenant_id, schedule_id }) => store.prune(tenant_id, schedule_id)));
  }
};
