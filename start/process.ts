import { hostname } from 'node:os';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { type BrokerOptions, ServiceBroker } from 'moleculer';
import { middleware } from '../lib/bus/hooks';
import { systemClock } from '../lib/clock';
import { ComputePool } from '../lib/compute';
import { type Config, ConfigError, SERVICE_NAMES } from '../lib/config';
import { createParsers } from '../lib/documents';
import { type LoadedKeys, loadKeys } from '../lib/keys';
import { createMailer } from '../lib/mailer';
import { settleKeys } from '../lib/master-key-record';
import { ClientAddressSigner } from '../lib/client-address';
import { Principals } from '../lib/principal';
import { clientLimits } from '../lib/rate-limit/client-limits';
import { SandboxPool } from '../lib/sandbox';
import { type App, appOf, provideApp } from '../services/app';
import { brokerOptions } from './broker-options';
import { observeFiles, openMetrics } from './metrics';
import { admitData, beginMigrations } from './migrations';
import { retryStartup } from './retry-startup';
import { probesOf } from './probes';
import { openAudit, openConnection, openDatabase, openShared, openTraces } from './resources';
import { serviceModule } from './service-files';
import { VERSION } from './version';

/** A running process. `stop` releases its runs, then closes resources in reverse order of opening. */
export interface Running {
  readonly app: App;
  readonly broker: ServiceBroker;
  readonly keys: LoadedKeys;
  /** The port of the metrics; null without METRICS_PORT. */
  readonly metricsPort: number | null;
  stop(): Promise<void>;
}

/** A process with keys, database and metrics open. */
interface OpenProcess {
  /** Options of the process's broker. They create its app, and close everything when the broker has stopped. */
  readonly options: BrokerOptions;
  /** The running process, once a broker with these options has started. */
  running(broker: ServiceBroker): Running;
}

/**
 * Opens the database, then starts the configured services. Closes everything and retries when a database that has
 * answered becomes unreachable meanwhile.
 */
export const startProcess = (config: Config, onFatal: (fault: Error) => void): Promise<Running> =>
  retryStartup((answered) => startOnce(config, onFatal, answered), systemClock);

async function startOnce(config: Config, onFatal: (fault: Error) => void, answered: () => void): Promise<Running> {
  const names = config.services ?? SERVICE_NAMES;
  const [{ options, running }] = await Promise.all([openProcess(config, onFatal, answered), loadModules(names)]);
  const broker = new ServiceBroker(options);
  try {
    for (const name of names) createService(broker, name);
    await broker.start();
    return running(broker);
  } catch (fault) {
    // Closes everything. Further faults are only logged: the operator has to fix the first one.
    await broker.stop();
    throw fault;
  }
}

/** Loads modules after the database has begun to open, in another thread or process. */
async function loadModules(names: readonly string[]): Promise<void> {
  await setImmediate();
  for (const name of names) serviceModule(name);
}

const createService = (broker: ServiceBroker, name: string): unknown =>
  broker.createService(serviceModule(name).default(broker));

/** Opens the resources of a process; closes those already open when it fails. */
export async function openProcess(
  config: Config,
  onFatal: (fault: Error) => void,
  answered: () => void,
): Promise<OpenProcess> {
  const closers: (() => Promise<unknown>)[] = [];
  const closeAll = async (): Promise<void> => {
    const faults: unknown[] = [];
    // A resource that fails to close must not keep the others open, in particular the store.
    for (let close = closers.pop(); close !== undefined; close = closers.pop())
      await close().catch((fault: unknown) => faults.push(fault));
    if (faults.length > 0) throw faults[0];
  };
  let closing: Promise<void> | null = null;
  const close = (): Promise<void> => (closing ??= closeAll());
  try {
    const loaded = loadKeys(config.keys, config.dataDir);
    const metricsServer = await openMetrics(config);
    const { metrics, port: metricsPort } = metricsServer;
    closers.push(() => metricsServer.close());
    const { url, exclusive } = await openDatabase(config, closers, onFatal);
    if (config.mongoUrl === null) observeFiles(metrics, config.dataDir);
    const db = await openConnection(url, metrics);
    closers.push(() => db.close());
    answered();
    await admitData(db);
    const { keys, keyring, retired } = await settleKeys(db, loaded.keys, systemClock.now());
    const nodeId = config.nodeId ?? `${hostname()}-${process.pid}`;
    const leaving = new AbortController();
    const stopping = new AbortController();
    let stopMigrations = async (): Promise<void> => undefined;

    const makeApp = (broker: ServiceBroker): App => {
      const shared = openShared(config, broker);
      closers.push(async () => shared?.close());
      const tracing = config.tracing === null ? null : openTraces(config.tracing, nodeId, metrics, broker);
      closers.push(async () => tracing?.close());
      const sandbox = new SandboxPool();
      closers.push(() => sandbox.close());
      const compute = new ComputePool();
      closers.push(() => compute.close());
      const parsers = createParsers();
      closers.push(() => parsers.close());
      const audit = openAudit(db, keys, broker);
      closers.push(() => audit.settled());
      const mailer = config.mail === null ? null : createMailer(config.mail, systemClock);
      closers.push(async () => mailer?.close());
      return {
        config,
        keys,
        keyring,
        db,
        clock: systemClock,
        shared,
        limits: clientLimits(config.rateLimit, shared),
        principals: new Principals(keys.principal, keys.previous.principal),
        clientAddresses: new ClientAddressSigner(keys.principal, keys.previous.principal),
        audit,
        mailer,
        sandbox,
        compute,
        parsers,
        metrics,
        tracer: tracing?.tracer ?? null,
        exclusive,
        version: VERSION,
        nodeId,
        leaving: leaving.signal,
        stopping: stopping.signal,
      };
    };

    const leave = (): void => {
      leaving.abort();
      stopping.abort();
    };
    const lifecycle = middleware({
      name: 'Process',
      async starting(broker) {
        for (const name of ['caches', 'processes'])
          if (broker.getLocalService(name) === undefined) createService(broker, name);
        assertComplete(config, broker);
      },
      // Also when the broker stops without `stop`, as in the REPL.
      async stopping() {
        leave();
        await stopMigrations();
      },
    });
    const options = brokerOptions(config, nodeId, { db, keys, onFatal });
    return {
      options: {
        ...options,
        middlewares: [...(options.middlewares ?? []), lifecycle],
        created(broker) {
          if (retired) broker.getLogger('keys').warn('MASTER_KEY was rotated out; set it to the new key');
          provideApp(broker, makeApp(broker));
        },
        stopped: close,
      },
      running(broker) {
        const app = appOf(broker);
        stopMigrations = beginMigrations(db, nodeId, broker.getLogger('migrations'));
        metricsServer.watch(probesOf(app, broker));
        const stop = async (): Promise<void> => {
          leaving.abort();
          if (broker.getLocalService('api-gateway') !== undefined) await sleep(config.shutdownDelayMs);
          leave();
          await broker.stop();
          // The broker only logs faults of closing.
          await close();
        };
        return { app, broker, keys: loaded, metricsPort, stop };
      },
    };
  } catch (fault) {
    // The operator has to fix the first fault; faults of closing are dropped.
    await close().catch(() => undefined);
    throw fault;
  }
}

/** @throws ConfigError when a service is missing and no other process can share the data */
function assertComplete(config: Config, broker: ServiceBroker): void {
  if (config.mongoUrl !== null) return;
  const missing = SERVICE_NAMES.filter((name) => broker.getLocalService(name) === undefined);
  if (missing.length > 0)
    throw new ConfigError([
      `These services are not loaded, and without MONGO_URL no other process can share the data: ${missing.join(', ')}. Load all, or set MONGO_URL`,
    ]);
}
