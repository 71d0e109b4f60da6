import type { Context, ServiceSchema } from 'moleculer';
import type { Clock } from '../../../lib/clock';
import { AppError } from '../../../lib/errors';
import { authService } from '../../../services/auth/auth.service';
import { openTestDatabase, type ServiceFactory, startApp, type TestApp, type TestDatabase } from '../../support/app';
import { type Daemon, type NatsOptions, startOwnNats } from '../../support/daemons';
import { until } from '../../support/until';

/** A NATS server with processes of a cluster around it. */
export interface House {
  readonly nats: Daemon;
  readonly database: TestDatabase;
  readonly namespace: string;
  /** Joins one more process, by the server's address unless another way is given. */
  join(nodeId: string, services: readonly ServiceFactory[], options?: JoinOptions): Promise<TestApp>;
  close(): Promise<void>;
}

export interface JoinOptions {
  readonly bus?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  readonly onFatal?: (fault: Error) => void;
}

export async function openHouse(options: NatsOptions = {}): Promise<House> {
  const nats = (await startOwnNats(options)) as Daemon;
  const database = await openTestDatabase();
  const namespace = `test-${nats.port}`;
  const apps: TestApp[] = [];
  return {
    nats,
    database,
    namespace,
    async join(nodeId, services, { bus = nats.url, ...more } = {}) {
      const app = await startApp({ services, database, bus, namespace, nodeId, ...more });
      apps.push(app);
      return app;
    },
    async close() {
      await Promise.all(apps.map((app) => app.close()));
      await database.close();
      await nats.stop();
    },
  };
}

/** Waits until the app knows an endpoint of the action, or of that many nodes. */
export const knows = (app: TestApp, action: string, nodes = 1): Promise<unknown> =>
  until(`${app.app.nodeId} knows ${nodes} of ${action}`, () => {
    const endpoints = app.broker.registry.getActionEndpoints(action);
    return (endpoints?.count() ?? 0) >= nodes;
  });

/** Actions for tests, by their full names; as raw as Moleculer has them. */
export const actions =
  (handlers: Readonly<Record<string, (ctx: Context<never>) => unknown>>): ServiceFactory =>
  () => {
    const services = new Map<string, ServiceSchema['actions']>();
    for (const [full, handler] of Object.entries(handlers)) {
      const [name, short] = full.split('.') as [string, string];
      services.set(name, { ...services.get(name), [short]: handler as never });
    }
    return [...services].map(([name, given]) => ({ name, actions: given }));
  };

export const auth: ServiceFactory = (app) => authService(app);

/** Refuses in our own way. */
export const refusal = (data: object = {}): AppError => new AppError('workflow_limit', 'There are too many', data);
