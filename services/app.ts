import type { ServiceBroker } from 'moleculer';
import type { Connection } from 'mongoose';
import type { AuditLog } from '../mixins/audit';
import type { ClientAddressSigner } from '../lib/client-address';
import type { Principals } from '../lib/principal';
import type { ClientLimits } from '../lib/rate-limit/client-limits';
import type { SharedState } from '../lib/redis/shared-state';
import type { Clock } from '../lib/clock';
import type { ComputePool } from '../lib/compute';
import type { Config } from '../lib/config';
import type { Keyring } from '../lib/keyring';
import type { Keys } from '../lib/keys';
import type { Mailer } from '../lib/mailer';
import type { Metrics } from '../lib/metrics';
import type { SandboxPool } from '../lib/sandbox';
import type { Tracer } from '../lib/tracing';
import type { RunFormats } from '../runtime/core/format';
import type { Parsers } from '../lib/documents/contract';

/** What a process gives to each of its services; made once by the start, or by a test. */
export interface App {
  readonly config: Config;
  readonly keys: Keys;
  /** Seals what only the service may read. */
  readonly keyring: Keyring;
  readonly db: Connection;
  readonly clock: Clock;
  /** What the processes know together; null without REDIS_URL. */
  readonly shared: SharedState | null;
  /** Rate limits of requests over HTTP and of calls over NATS; null where there are none. */
  readonly limits: ClientLimits | null;
  readonly principals: Principals;
  readonly clientAddresses: ClientAddressSigner;
  /** Where every service writes who did what. */
  readonly audit: AuditLog;
  /** Sends mails of the installation; null without SMTP_URL. */
  readonly mailer: Mailer | null;
  /** Where scripts of users run: a lane for each tenant. */
  readonly sandbox: SandboxPool;
  /** Where pure work of users runs that would hold this thread for long: a lane for each tenant. */
  readonly compute: ComputePool;
  /** Where files of users are read, in threads of their own. */
  readonly parsers: Parsers;
  /** What this process counts; silent without METRICS_PORT. */
  readonly metrics: Metrics;
  /** Null unless the environment names a collector of traces. */
  readonly tracer: Tracer | null;
  /** True when no other process can reach the database, so every other host on record is dead. */
  readonly exclusive: boolean;
  readonly version: string;
  /** Formats of runs that it reads and writes; absent: those of its version. */
  readonly runFormats?: RunFormats;
  /** Name of this process on the bus; no other one has it. */
  readonly nodeId: string;
  /** Aborts when the process is asked to stop: other processes should send it no new work; what arrives is still done. */
  readonly leaving: AbortSignal;
  /** Aborts when the process stops, while everything still works: time to give work back. */
  readonly stopping: AbortSignal;
}

const apps = new WeakMap<ServiceBroker, App>();

/** Sets the app of all services that the broker loads. Call it before the first one is loaded. */
export const provideApp = (broker: ServiceBroker, app: App): void => void apps.set(broker, app);

/** @throws Error for a broker that was made without an app */
export function appOf(broker: ServiceBroker): App {
  const app = apps.get(broker);
  if (app === undefined)
    throw new Error('This broker has no app: start it by start/ or by moleculer-runner with moleculer.config');
  return app;
}
