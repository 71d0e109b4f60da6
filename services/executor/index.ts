import type { ServiceSchema } from 'moleculer';
import { defineService } from '../../mixins/service';
import type { App } from '../app';
import { Engine } from './engine';
import { executionsService } from './executions';
import { Feedback } from './feedback';
import { healthFigures } from './health';
import { Messages } from './messages';
import * as params from './params';
import { purgeWorkflow } from './purge';
import { startRun } from './starting';

/** The host of execution actors, and the menu of what is done with executions. Both stand on one engine. */
export const executorServices = (app: App): ServiceSchema[] => {
  const engine = new Engine(app);
  return [executorService(app, engine), executionsService(app, engine)];
};

const executorService = (app: App, engine: Engine): ServiceSchema => {
  const messages = new Messages(app, engine);
  const feedback = new Feedback(app);
  return defineService(app, 'executor', {
    actions: {
      start: {
        access: 'internal',
        summary: 'Starts a run on this host',
        params: params.startParams,
        handle: (ctx) => startRun(app, engine, ctx),
      },
      purge: {
        access: 'internal',
        summary: 'Cancels and removes all executions of a workflow',
        params: { workflow_id: params.id },
        handle: async ({ params: { workflow_id }, tenantId }) => ({
          removed: await purgeWorkflow(engine, messages, feedback, tenantId, workflow_id),
        }),
      },
      health: {
        access: 'internal',
        summary: 'Figures of recent runs, by workflow',
        params: {
          workflow_ids: { type: 'array', items: 'string', max: 200 },
          window_hours: { type: 'number', positive: true, max: 24 * 90 },
        },
        handle: async ({ params: { workflow_ids, window_hours }, tenantId }) => ({
          data: await healthFigures(
            engine,
            tenantId,
            workflow_ids,
            new Date(app.clock.now() - window_hours * 3_600_000),
          ),
        }),
      },
      ready: {
        access: 'public',
        summary: 'Whether this host takes on runs',
        params: {},
        handle: () => ({
          ready: engine.host.ready,
          running: engine.host.running,
          reason: engine.host.ready ? null : 'the lease of this host is not held: the database does not answer',
        }),
      },
    },
    started: (context) => engine.start(context),
    stopped: () => engine.stop(),
  });
};
