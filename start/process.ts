import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, createConnection } from 'mongoose';
import { ServiceBroker, type ServiceSchema } from 'moleculer';
import { openStore } from '../embedded';
import { systemClock } from '../lib/clock';
import type { Config, ServiceName } from '../lib/config';
import { type Keys, type LoadedKeys, loadKeys } from '../lib/keys';
import { createMailer } from '../lib/mailer';
import type { Metrics } from '../lib/metrics';
import { observeStore } from '../lib/metrics/store';
import { SandboxPool } from '../lib/sandbox';
import type { TracingConfig } from '../lib/tracing/config';
import { AuditLog } from '../mixins/audit';
import { DATABASE_OPTIONS } from '../mixins/database';
import { settleKeys } from '../mixins/keys/master';
import { Origins } from '../mixins/origin';
import { Principals } from '../mixins/principal';
import { SharedState } from '../mixins/redis/shared-state';
import { brokerOptions } from '../moleculer.config';
import { aiService } from '../services/ai';
import { apiGatewayService } from '../services/api-gateway';
import type { App } from '../services/app';
import { auditService } from '../services/audit';
import { authService } from '../services/auth';
import { billingService } from '../services/billing';
import { channelsService } from '../services/channels';
import { connectorsService } from '../services/connectors';
import { connectionsService } from '../services/connections';
import { runServices } from '../services/executor';
import { filesService } from '../services/files';
import { schedulerService } from '../services/scheduler';
import { secretsService } from '../services/secrets';
import { createParsers } from '../services/knowledge/parsing';
import { knowledgeService } from '../services/knowledge/service';
import { skillsService } from '../services/skills';
import { workflowsService } from '../services/workflows';
import { observeFiles, openMetrics } from './metrics';
import { admitData, beginMigrations } from './migrations';
import { beginPatiently } from './patience';
import { openTracing, type Tracing } from './tracing';
import { probesOf } from './probes';
import { VERSION } from './version';

/** Services by the names that SERVICES uses, in the order in which they start. */
export const servicesOf = (app: App): Readonly<Record<ServiceName, () => ServiceSchema>> => ({
  auth: () => authService(app),
  secrets: () => secretsService(app),
  connections: () => connectionsService(app),
  connectors: () => connectorsService(app),
  workflows: () => workflowsService(app),
  ...runServices(app),
  scheduler: () => schedulerService(app),
  channels: () => channelsService(app),
  files: () => filesService(app),
  ai: () => aiService(app),
  knowledge: () => knowledgeService(app),
  skills: () => skillsService(app),
  billing: () => billingService(app),
  audit: () => auditService(app),
  'api-gateway': () => apiGatewayService(app),
});

/** A running process. `stop` gives work back, then closes what was opened, in the reverse order. */
export interface Running {
  readonly app: App;
  readonly broker: ServiceBroker;
  readonly keys: LoadedKeys;
  /** Where metrics can be asked for; null without METRICS_PORT. */
  readonly metricsPort: number | null;
  stop(): Promise<void>;
}

/**
 * Opens the database, then starts the services that the configuration names. Where the way to a database that has
 * answered is cut in the middle, all is closed and begins anew.
 */
export const startProcess = (config: Config, onFatal: (fault: Error) => void): Promise<Running> =>
  beginPatiently((answered) => startOnce(config, onFatal, answered), systemClock);

/** Closes everything that it has opened when it fails. */
async function startOnce(config: Config, onFatal: (fault: Error) => void, answered: () => void): Promise<Running> {
  const closers: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    const faults: unknown[] = [];
    // One that will not close must not keep the others open, the store least of all.
    for (let close = closers.pop(); close !== undefined; close = closers.pop())
      await close().catch((fault: unknown) => faults.push(fault));
    if (faults.length > 0) throw faults[0];
  };
  try {
    const loaded = loadKeys(config.keys, config.dataDir);
    const metering = await openMetrics(config);
    const { metrics, port: metricsPort } = metering;
    closers.push(() => metering.close());
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
    const broker = new ServiceBroker(brokerOptions(config, nodeId, { db, keys, onFatal }));
    if (retired) broker.getLogger('keys').warn('MASTER_KEY is one of before the rotation; set it to the new one');
    const shared = openShared(config, broker);
    closers.push(async () => shared?.close());
    const tracing = config.tracing === null ? null : openTraces(config.tracing, nodeId, metrics, broker);
    closers.push(async () => tracing?.close());
    const sandbox = new SandboxPool();
    closers.push(() => sandbox.close());
    const parsers = createParsers();
    closers.push(() => parsers.close());
    const audit = openAudit(db, keys, broker);
    closers.push(() => audit.settled());
    const mailer = config.mail === null ? null : createMailer(config.mail, systemClock);
    closers.push(async () => mailer?.close());
    const app: App = {
      config,
      keys,
      keyring,
      db,
      clock: systemClock,
      shared,
      principals: new Principals(keys.principal, keys.previous.principal),
      origins: new Origins(keys.principal, keys.previous.principal),
      audit,
      mailer,
      sandbox,
      parsers,
      metrics,
      tracer: tracing?.tracer ?? null,
      exclusive,
      version: VERSION,
      nodeId,
      leaving: leaving.signal,
      stopping: stopping.signal,
    };
    closers.push(async () => {
      stopping.abort();
      await broker.stop();
    });
    for (const [name, make] of Object.entries(servicesOf(app))) {
      if (config.services === null || config.services.includes(name)) broker.createService(make());
    }
    await broker.start();
    closers.push(beginMigrations(db, nodeId, broker.getLogger('migrations')));
    metering.watch(probesOf(app, broker));
    const leave = async (): Promise<void> => {
      leaving.abort();
      if (broker.getLocalService('api-gateway') !== undefined) await sleep(config.shutdownDelayMs);
      await stop();
    };
    return { app, broker, keys: loaded, metricsPort, stop: leave };
  } catch (fault) {
    // What went wrong first is what the operator has to mend.
    await stop().catch(() => undefined);
    throw fault;
  }
}

const openTraces = (config: TracingConfig, nodeId: string, metrics: Metrics, broker: ServiceBroker): Tracing => {
  const log = broker.getLogger('tracing');
  return openTracing(config, { nodeId, clock: systemClock, metrics, warn: (message) => log.warn(message) });
};

const openAudit = (db: App['db'], keys: Keys, broker: ServiceBroker): AuditLog => {
  const log = broker.getLogger('audit');
  return new AuditLog({ db, keys, clock: systemClock, warn: (message, fault) => log.warn(message, fault) });
};

/** Answers at once, whether Redis can be reached or not: nothing depends on it. */
const openShared = ({ redisUrl, namespace }: Config, broker: ServiceBroker): SharedState | null =>
  redisUrl === null ? null : new SharedState({ url: redisUrl, namespace, log: broker.getLogger('redis') });

/** Commands are watched only where somebody looks: the driver makes an object for each. */
async function openConnection(url: string, metrics: Metrics): Promise<Connection> {
  const connection = createConnection(url, { ...DATABASE_OPTIONS, monitorCommands: metrics.on });
  if (metrics.on) observeStore(metrics, connection.getClient());
  return connection.asPromise();
}

async function openDatabase(
  config: Config,
  closers: (() => Promise<unknown>)[],
  onFatal: (fault: Error) => void,
): Promise<{ url: string; exclusive: boolean }> {
  if (config.mongoUrl !== null) return { url: config.mongoUrl, exclusive: false };
  const store = await openStore({ dir: config.dataDir, onFatal });
  closers.push(() => store.close());
  return { url: store.url, exclusive: true };
}
