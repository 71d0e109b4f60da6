import type { ServiceBroker, ServiceSchema } from 'moleculer';
import { processesContract } from '../../contracts/processes';
import { defineService } from '../../mixins/service';
import { type App, appOf } from '../app';
import { checkDependencies, dependencyViews } from './dependencies';
import { EventLoopDelay } from './event-loop';
import { hostViews } from './hosts';
import { askNodes } from './nodes';

/** Runs in every process beside its other services: says how the process is, and shows operators all of them. */
export const processesService = (app: App): ServiceSchema => {
  const delay = new EventLoopDelay(app.clock);
  let broker: ServiceBroker;
  return defineService(app, processesContract, {
    handlers: {
      status() {
        const { rss, heapUsed } = process.memoryUsage();
        return {
          version: app.version,
          node_version: process.versions.node,
          started_at: new Date(Date.now() - process.uptime() * 1_000).toISOString(),
          event_loop_delay_ms: delay.p99Ms,
          memory_bytes: rss,
          heap_bytes: heapUsed,
        };
      },
      check: async ({ call }) => ({ data: await checkDependencies(app, broker, call) }),
      async hosts({ call }) {
        const [nodes, { data }] = await Promise.all([
          askNodes(app, broker, 'processes.status'),
          call('executions.hosts', {}, { asServiceOf: '' }),
        ]);
        const shown = nodes.map(({ node, answer }) => ({ ...node, status: answer }));
        return { hosts: hostViews(shown, data) };
      },
      async readiness() {
        const nodes = await askNodes(app, broker, 'processes.check');
        const found = nodes.flatMap(({ node: { id }, answer }) =>
          answer === null ? [] : [{ nodeId: id, checks: answer.data }],
        );
        const silent = nodes.filter(({ node, answer }) => node.available && answer === null);
        return { dependencies: dependencyViews(found), silent: silent.map(({ node }) => node.id) };
      },
    },
    started(context) {
      ({ broker } = context);
      delay.start();
    },
    stopped: () => delay.stop(),
  });
};

export default (broker: ServiceBroker): ServiceSchema => processesService(appOf(broker));
