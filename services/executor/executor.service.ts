import { executorContract } from '../../contracts/executor';
import type { ServiceBroker, ServiceSchema } from 'moleculer';
import { defineService } from '../../mixins/service';
import { type App, appOf } from '../app';
import { hostGroup } from '../../contracts/events';
import { Engine } from './engine';
import { recordsOf } from './records';
import { startRun } from './start-run';

/** The service that hosts execution actors. */
export const executorService = (app: App, engine: Engine): ServiceSchema =>
  defineService(app, executorContract, {
    handlers: {
      start: (ctx) => startRun(app, engine, ctx),
      ready: () => ({
        ready: engine.host.ready,
        running: engine.host.running,
        reason: engine.host.ready ? null : 'the host has no lease: the database does not answer',
      }),
    },
    events: {
      'execution.moved': engine.records.runEnds.event,
      'execution.subscribe': engine.records.subscriptions.event,
      'tenant.watch': engine.records.tenantEvents.event,
      'execution.watch': {
        handle: ({ ids, node, said: withOutput }) =>
          ids.forEach((id) => (withOutput === true ? engine.outputWatchers : engine.runWatchers).watch(id, node)),
      },
      'cache.stale': {
        handle: ({ patterns }) => patterns.forEach((pattern) => engine.forget(pattern)),
      },
      'executor.mail': {
        group: hostGroup(app.nodeId),
        handle: ({ id }) => engine.host.checkMessages(id),
      },
      'executor.wake': {
        handle: ({ run }) =>
          run === undefined ? engine.host.poke() : engine.host.offer({ ...run, claims: run.claims ?? 0 }),
      },
    },
    started: async (context) => {
      engine.records.runEnds.open(context);
      await engine.start(context);
    },
    stopped: () => engine.stop(),
  });

export default (broker: ServiceBroker): ServiceSchema => {
  const app = appOf(broker);
  return executorService(app, new Engine(app, recordsOf(broker)));
};
