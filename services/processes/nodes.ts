import type { ServiceBroker } from 'moleculer';
import { NO_TENANT } from '../../lib/principal';
import type { ResultOf } from '../../contracts/catalogue';
import type { App } from '../app';
import type { BusNode } from './hosts';

const TIMEOUT_MS = 2_000;

/** Services that run in every process, which say nothing about its role. */
const EVERYWHERE: ReadonlySet<string> = new Set(['caches', 'processes']);

type Asked = 'processes.status' | 'processes.check';
type KnownNode = Omit<BusNode, 'status'>;

/** The processes of the installation that the bus knows, gone ones too. Programs of integrators are none. */
function nodesOf(broker: ServiceBroker): KnownNode[] {
  const now = Date.now();
  return broker.registry.nodes.toArray().flatMap((node) => {
    const services = node.services.map(({ name }: { name?: unknown }) => String(name));
    if (!services.includes('caches')) return [];
    // The registry counts in seconds since the start of this process.
    const secondsAgo = node.local ? 0 : Math.max(0, process.uptime() - node.lastHeartbeatTime);
    return [
      {
        id: node.id,
        available: node.available,
        hostName: node.hostname ?? null,
        services: services.filter((name) => !name.startsWith('$') && !EVERYWHERE.has(name)),
        cpuPercent: node.cpu ?? null,
        lastHeartbeatAt: now - secondsAgo * 1_000,
      },
    ];
  });
}

/** The answer of each process; null from one that does not answer in two seconds. */
export function askNodes<A extends Asked>(
  app: App,
  broker: ServiceBroker,
  action: A,
): Promise<{ node: KnownNode; answer: ResultOf<A> | null }[]> {
  const meta = { principal: app.principals.forTenant(NO_TENANT, app.clock.now()) };
  return Promise.all(
    nodesOf(broker).map(async (node) => {
      if (!node.available) return { node, answer: null };
      try {
        const options = { nodeID: node.id, timeout: TIMEOUT_MS, meta };
        return { node, answer: await broker.call<ResultOf<A>, object>(action, {}, options) };
      } catch (fault) {
        broker.logger.debug(`${node.id} does not answer ${action}`, fault);
        return { node, answer: null };
      }
    }),
  );
}
