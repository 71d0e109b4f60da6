import { withoutUrlCredentials } from '../../lib/text-patterns';
import { withTimeout } from '../../lib/with-timeout';
import type { ServiceBroker } from 'moleculer';
import { isConnected } from '../../lib/bus/internals';
import { errorMessage } from '../../lib/errors';
import { tryMailServer } from '../../lib/mailer';
import type { Call } from '../../contracts/catalogue';
import { DEPENDENCIES, type DependencyCheck, type DependencyView } from '../../contracts/processes';
import type { App } from '../app';

const TIMEOUT_MS = 1_500;
const WORST_FIRST = ['unavailable', 'ready', 'not_configured'] as const;

type Name = DependencyCheck['name'];

/** How a dependency is checked; null where it is not configured, or this process does not use it. */
type Checks = Readonly<Record<Name, (() => Promise<string | null>) | null>>;

/** What this process finds of each dependency. Takes at most two seconds. */
export async function checkDependencies(app: App, broker: ServiceBroker, call: Call): Promise<DependencyCheck[]> {
  const checks = checksOf(app, broker, call);
  return Promise.all(
    DEPENDENCIES.map(async (name): Promise<DependencyCheck> => {
      const check = checks[name];
      if (check === null) return { name, state: 'not_configured', reason: null };
      const reason = await withTimeout(app.clock, TIMEOUT_MS, name, check()).catch(errorMessage);
      return {
        name,
        state: reason === null ? 'ready' : 'unavailable',
        reason: reason && withoutUrlCredentials(reason),
      };
    }),
  );
}

function checksOf({ config, db, shared }: App, broker: ServiceBroker, call: Call): Checks {
  const { mail, qdrant } = config;
  const connected = isConnected(broker);
  return {
    database: async () => {
      await db.db?.command({ ping: 1 });
      return null;
    },
    bus: connected === null ? null : async () => (connected ? null : 'no connection'),
    redis: shared === null ? null : async () => shared.unavailableReason,
    qdrant:
      qdrant === null || broker.getLocalService('knowledge') === undefined
        ? null
        : async () => ((await call('knowledge.vectors_ready', {}, { asServiceOf: '' })).ready ? null : 'no answer'),
    mail:
      mail === null
        ? null
        : async () => {
            await tryMailServer(mail.server, TIMEOUT_MS);
            return null;
          },
  };
}

/** What the processes find together. Pure. */
export function dependencyViews(
  found: readonly { readonly nodeId: string; readonly checks: readonly DependencyCheck[] }[],
): DependencyView[] {
  return DEPENDENCIES.map((name) => {
    const checks = found.flatMap(({ nodeId, checks }) =>
      checks.filter((check) => check.name === name).map((check) => ({ nodeId, ...check })),
    );
    return {
      name,
      state: WORST_FIRST.find((state) => checks.some((check) => check.state === state)) ?? 'not_configured',
      faults: checks.flatMap(({ nodeId, reason }) => (reason === null ? [] : [{ node_id: nodeId, reason }])),
    };
  });
}
