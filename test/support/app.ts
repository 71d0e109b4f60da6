import { SandboxPool } from '../../lib/sandbox';
import { ComputePool } from '../../lib/compute';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection } from 'mongoose';
import { type Middleware, ServiceBroker, type ServiceSchema } from 'moleculer';
import { type Clock, systemClock } from '../../lib/clock';
import { type Config, readConfig } from '../../lib/config';
import { randomId } from '../../lib/ids';
import { createParsers } from '../../lib/documents';
import { loadKeys } from '../../lib/keys';
import { createMailer } from '../../lib/mailer';
import { type Metrics, SILENT_METRICS } from '../../lib/metrics';
import type { Tracer } from '../../lib/tracing';
import { AuditLog } from '../../mixins/audit';
import { DATABASE_OPTIONS } from '../../lib/database';
import { settleKeys } from '../../lib/master-key-record';
import { ClientAddressSigner } from '../../lib/client-address';
import { type Principal, Principals } from '../../lib/principal';
import { type Role } from '../../lib/roles';
import { clientLimits } from '../../lib/rate-limit/client-limits';
import { SharedState } from '../../lib/redis/shared-state';
import { brokerOptions } from '../../start/broker-options';
import { type App, provideApp } from '../../services/app';
import { cachesService } from '../../services/caches/caches.service';
import { processesService } from '../../services/processes/processes.service';
import type { ActionName, ParamsOf, ResultOf } from '../../contracts/catalogue';
import { LogLines } from './log-lines';

/** A database of its own for a test: dropped, and its server stopped, by `close`. Several apps may share one. */
export interface TestDatabase {
  readonly url: string;
  readonly name: string;
  close(): Promise<void>;
}

/** Makes a service for an app, or several that belong together. */
export type ServiceFactory = (app: App, broker: ServiceBroker) => ServiceSchema | ServiceSchema[];

/** The caller of an action; fields that are left out get defaults. */
export type Actor = { tenant_id: string; role?: Role | 'service'; user_id?: string; email?: string };

/** A service that calls without a tenant. */
export const SERVICE: Actor = { tenant_id: '', role: 'service' };

/** Services on a broker of their own, with a database and, when the gateway is among them, an HTTP address. */
export interface TestApp {
  readonly app: App;
  readonly broker: ServiceBroker;
  /** Where the gateway listens, such as `http://127.0.0.1:41234`. @throws Error when there is no gateway. */
  readonly url: string;
  /** Calls an action as the given actor, else as a gateway does for an unauthenticated request; null: without a principal. */
  call<A extends ActionName>(action: A, params: ParamsOf<A>, actor?: Actor | null): Promise<ResultOf<A>>;
  close(): Promise<void>;
}

export interface StartOptions {
  readonly services: readonly ServiceFactory[];
  /** Shared with other apps; closed by the test that opened it. Left out: a new one, closed with the app. */
  readonly database?: TestDatabase;
  /** Environment of the process, over the test's defaults (loopback, any port, no rate limit). */
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  /** Connects brokers of one test file: same transporter ('Fake') and namespace. */
  readonly transporter?: string;
  /** Address of a NATS server: the broker is made as a process of a cluster makes it. */
  readonly bus?: string;
  readonly namespace?: string;
  readonly nodeId?: string;
  /** Run before those of the test's broker. Not with `bus`. */
  readonly middlewares?: readonly Middleware[];
  /** Receives every line that the services log. */
  readonly log?: (line: string) => void;
  /** The metrics of the process; left out: none. */
  readonly metrics?: Metrics;
  /** Left out: nothing is traced. */
  readonly tracer?: Tracer;
  /** Receives log lines in the product's format, down to `LOG_LEVEL` of `env`. */
  readonly logTo?: Writable;
  /** Called with a fatal error; absent: it is thrown. */
  readonly onFatal?: (fault: Error) => void;
}

const KEYS = {
  MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
  JWT_SECRET: Buffer.alloc(32, 2).toString('base64'),
  PRINCIPAL_KEY: Buffer.alloc(32, 3).toString('base64'),
};

/**
 * A fresh database on the server of TEST_MONGO_URL, else on an embedded server in a folder that `close` removes. `tcp`:
 * at an address with a port, for a test with a proxy.
 */
export async function openTestDatabase({ tcp = false } = {}): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const given = process.env.TEST_MONGO_URL;
  // A server on a Unix socket has no port for a proxy.
  if (given && !(tcp && new URL(given).port === '')) return { url: given, name, close: () => drop(given, name) };
  const dir = await mkdtemp(join(tmpdir(), 'everstep-test-'));
  // Loaded on demand: a test against another server does not need it.
  const { openStore } = require('../../embedded') as typeof import('../../embedded');
  const listen = { host: '127.0.0.1', port: 0, user: 'test', password: 'test-password' };
  const store = await openStore({ dir, sync: false, ...(tcp ? { listen } : {}) });
  return {
    url: store.url,
    name,
    async close() {
      await store.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** How brokers of one process wait: what they send each other has arrived by the next turns of the event loop. */
const INSIDE = {
  registry: { stopDelay: 0 },
  transit: { serviceChangedDebounceTime: 10 },
  dependencyInterval: 10,
  middlewares: [{ name: 'Hasten', created: hasten }],
};

/** A transit lets half a second pass for the answers of other nodes, which no option shortens; its own promises do. */
function hasten({ transit }: ServiceBroker): void {
  if (transit) Object.assign(transit, { Promise: HastyPromise });
}

class HastyPromise<T> extends Promise<T> {
  async delay(): Promise<T> {
    const value = await this;
    await sleep(20);
    return value;
  }
}

/** Starts the services; everything that this opens is closed by the answer's `close`, also when the start fails. */
export async function startApp(options: StartOptions): Promise<TestApp> {
  const database = options.database ?? (await openTestDatabase());
  const clock = options.clock ?? systemClock;
  const dataDir = join(tmpdir(), `everstep-data-${randomBytes(6).toString('hex')}`);
  const config = readConfig({
    DATA_DIR: dataDir,
    HOST: '127.0.0.1',
    PORT: '0',
    RATE_LIMIT: 'off',
    ...KEYS,
    ...(options.bus === undefined ? {} : { TRANSPORTER: options.bus, MONGO_URL: database.url }),
    ...options.env,
  });
  const closeDatabase = async (): Promise<void> => {
    await rm(dataDir, { recursive: true, force: true });
    if (options.database === undefined) await database.close();
  };
  const db = await createConnection(database.url, { ...DATABASE_OPTIONS, dbName: database.name })
    .asPromise()
    .catch(async (error: unknown) => {
      await closeDatabase();
      throw error;
    });
  const { keys, keyring } = await settleKeys(db, loadKeys(config.keys, config.dataDir).keys, clock.now()).catch(
    async (error: unknown) => {
      await db.close();
      await closeDatabase();
      throw error;
    },
  );
  const principals = new Principals(keys.principal, keys.previous.principal);
  const namespace = options.namespace ?? randomId();
  const nodeId = options.nodeId ?? `test-${randomId()}`;
  const stopping = new AbortController();
  const broker = new ServiceBroker({
    ...(options.bus === undefined
      ? {
          transporter: options.transporter ?? null,
          requestTimeout: config.requestTimeoutMs,
          ...INSIDE,
          middlewares: [...(options.middlewares ?? []), ...INSIDE.middlewares],
        }
      : brokerOptions(config, nodeId, { db, keys, onFatal: options.onFatal ?? fail })),
    namespace,
    nodeID: nodeId,
    logger: loggerOf(options, config, nodeId),
    skipProcessEventRegistration: true,
    contextParamsCloning: false,
    // As in start/broker-options.ts: params are checked once, by `defineService`.
    validator: false,
  } as object);
  const { redisUrl } = config;
  const shared =
    redisUrl === null ? null : new SharedState({ url: redisUrl, namespace, log: broker.getLogger('redis') });
  const sandbox = new SandboxPool();
  const compute = new ComputePool();
  const parsers = createParsers();
  const mailer = config.mail === null ? null : createMailer(config.mail, clock);
  const log = broker.getLogger('audit');
  const audit = new AuditLog({ db, keys, clock, warn: (message, fault) => log.warn(message, fault) });
  const app: App = {
    config,
    keys,
    keyring,
    db,
    clock,
    shared,
    limits: clientLimits(config.rateLimit, shared),
    principals,
    clientAddresses: new ClientAddressSigner(keys.principal, keys.previous.principal),
    audit,
    mailer,
    sandbox,
    compute,
    parsers,
    metrics: options.metrics ?? SILENT_METRICS,
    tracer: options.tracer ?? null,
    // Apps that share a database are hosts of one cluster.
    exclusive: options.database === undefined,
    version: 'test',
    nodeId,
    leaving: stopping.signal,
    stopping: stopping.signal,
  };
  const close = async (): Promise<void> => {
    stopping.abort();
    await broker.stop();
    mailer?.close();
    await sandbox.close();
    await compute.close();
    await parsers.close();
    shared?.close();
    await audit.settled();
    await db.close();
    await closeDatabase();
  };
  try {
    provideApp(broker, app);
    for (const schema of options.services.flatMap((service) => service(app, broker))) broker.createService(schema);
    broker.createService(cachesService(app));
    broker.createService(processesService(app));
    await broker.start();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    app,
    broker,
    get url() {
      return gatewayUrl(broker);
    },
    call: (action, params, actor = SERVICE) =>
      broker.call(action, params, {
        meta: actor === null ? {} : { principal: sign(app, actor) },
      }) as Promise<never>,
    close,
  };
}

function loggerOf({ log, logTo }: StartOptions, config: Config, nodeId: string): object | false {
  if (logTo !== undefined) {
    const { logger } = brokerOptions(config, nodeId) as { logger: { type: string; options: { pino: object } } };
    const { type, options } = logger;
    return { type, options: { ...options, pino: { ...options.pino, destination: logTo } } };
  }
  if (log !== undefined) return new LogLines(log);
  return process.env.TEST_LOG ? { type: 'Console', options: { level: 'debug' } } : false;
}

const fail = (fault: Error): never => {
  throw fault;
};

/** The signed principal of an actor, as services hand it on. */
export function sign(app: App, actor: Actor): string {
  const role = actor.role ?? 'owner';
  const principal: Omit<Principal, 'exp'> =
    role === 'service'
      ? { kind: 'service', tenant_id: actor.tenant_id, user_id: null, email: null, role }
      : {
          kind: 'user',
          tenant_id: actor.tenant_id,
          user_id: actor.user_id ?? randomId(),
          email: actor.email ?? `${role}@example.com`,
          role,
        };
  return app.principals.sign(principal, app.clock.now());
}

function gatewayUrl(broker: ServiceBroker): string {
  const gateway = broker.getLocalService('api-gateway') as { server?: Server } | undefined;
  if (gateway?.server === undefined) throw new Error('No gateway was started');
  return `http://127.0.0.1:${(gateway.server.address() as AddressInfo).port}`;
}

async function drop(url: string, name: string): Promise<void> {
  const db = await createConnection(url, { dbName: name }).asPromise();
  await db.dropDatabase();
  await db.close();
}
