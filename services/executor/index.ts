import type { ServiceSchema } from 'moleculer';
import { defineService, staleParams } from '../../mixins/service';
import type { App } from '../app';
import { hostGroup } from '../catalogue';
import { Engine } from './engine';
import { executionsService } from './executions';
import * as params from './params';
import { Records } from './records';
import { startRun } from './starting';
import { Tidings } from './tidings';

/** The host of execution actors, and the menu of what is done with executions: for any node, together or apart. */
export function runServices(app: App): { executor: () => ServiceSchema; executions: () => ServiceSchema } {
  const records = new Records(app, new Tidings(app));
  return {
    executor: () => executorService(app, new Engine(app, records)),
    executions: () => executionsService(app, records),
  };
}

/** Both on one node. */
export const executorServices = (app: App): ServiceSchema[] => {
  const { executor, executions } = runServices(app);
  return [executor(), executions()];
};

const executorService = (app: App, engine: Engine): ServiceSchema =>
  defineService(app, 'executor', {
    actions: {
      start: {
        access: 'internal',
        summary: 'Starts a run on this host',
        params: params.startParams,
        handle: (ctx) => startRun(app, engine, ctx),
      },
      ready: {
        access: 'internal',
        summary: 'Whether this host takes on runs',
        params: {},
        handle: () => ({
          ready: engine.host.ready,
          running: engine.host.running,
          reason: engine.host.ready ? null : 'the lease of this host is not held: the database does not answer',
        }),
      },
    },
    events: {
      'execution.moved': engine.records.tidings.event,
      'execution.watch': {
        params: {
          ids: { type: 'array', items: params.id, max: 1_000 },
          node: params.id,
          said: { type: 'boolean', optional: true },
        },
        handle: ({ ids, node, said }) =>
          ids.forEach((id) => (said === true ? engine.listened : engine.watched).watch(id, node)),
      },
      'cache.stale': {
        params: staleParams,
        handle: ({ patterns }) => patterns.forEach((pattern) => engine.forget(pattern)),
      },
      'executor.mail': {
        group: hostGroup(app.nodeId),
        params: { id: params.id },
        handle: ({ id }) => engine.host.noticed(id),
      },
      'executor.wake': {
        params: { run: { ...params.candidate, optional: true } },
        handle: ({ run }) => (run === undefined ? engine.host.poke() : engine.host.offer(run)),
      },
    },
    started: async (context) => {
      engine.records.tidings.open(context);
      await engine.start(context);
    },
    stopped: () => engine.stop(),
  });
