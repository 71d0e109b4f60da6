import { type Connection, createConnection } from 'mongoose';
import type { ServiceBroker } from 'moleculer';
import { openStore } from '../embedded';
import { systemClock } from '../lib/clock';
import type { Config } from '../lib/config';
import { DATABASE_OPTIONS } from '../lib/database';
import type { Keys } from '../lib/keys';
import type { Metrics } from '../lib/metrics';
import { observeStore } from '../lib/metrics/store';
import { SharedState } from '../lib/redis/shared-state';
import type { TracingConfig } from '../lib/tracing/config';
import { AuditLog } from '../mixins/audit';
import type { App } from '../services/app';
import { openTracing, type Tracing } from './tracing';

export const openTraces = (config: TracingConfig, nodeId: string, metrics: Metrics, broker: ServiceBroker): Tracing => {
  const log = broker.getLogger('tracing');
  return openTracing(config, { nodeId, clock: systemClock, metrics, warn: (message) => log.warn(message) });
};

export const openAudit = (db: App['db'], keys: Keys, broker: ServiceBroker): AuditLog => {
  const log = broker.getLogger('audit');
  return new AuditLog({ db, keys, clock: systemClock, warn: (message, fault) => log.warn(message, fault) });
};

/** Does not wait for Redis: nothing depends on it. */
export const openShared = ({ redisUrl, namespace }: Config, broker: ServiceBroker): SharedState | null =>
  redisUrl === null ? null : new SharedState({ url: redisUrl, namespace, log: broker.getLogger('redis') });

/** Monitors commands only when metrics are on: the driver creates an object for each. */
export async function openConnection(url: string, metrics: Metrics): Promise<Connection> {
  const connection = createConnection(url, { ...DATABASE_OPTIONS, monitorCommands: metrics.on });
  if (metrics.on) observeStore(metrics, connection.getClient());
  return connection.asPromise();
}

/** The server of MONGO_URL, or the built-in store, which locks its folder. @throws LockedError when it is in use */
export async function openDatabase(
  config: Config,
  closers: (() => Promise<unknown>)[],
  onFatal: (fault: Error) => void,
): Promise<{ url: string; exclusive: boolean }> {
  if (config.mongoUrl !== null) return { url: config.mongoUrl, exclusive: false };
  const store = await openStore({ dir: config.dataDir, onFatal });
  closers.push(() => store.close());
  return { url: store.url, exclusive: true };
}
