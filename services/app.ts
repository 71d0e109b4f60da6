import type { Connection } from 'mongoose';
import type { AuditLog } from '../mixins/audit';
import type { Origins } from '../mixins/origin';
import type { Principals } from '../mixins/principal';
import type { SharedState } from '../mixins/redis/shared-state';
import type { Clock } from '../lib/clock';
import type { Config } from '../lib/config';
import type { Keyring } from '../lib/keyring';
import type { Keys } from '../lib/keys';
import type { Mailer } from '../lib/mailer';
import type { Metrics } from '../lib/metrics';
import type { SandboxPool } from '../lib/sandbox';
import type { Tracer } from '../lib/tracing';
import type { RunFormats } from '../runtime/store/format';
import type { Parsers } from './knowledge/contract';

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
  readonly principals: Principals;
  readonly origins: Origins;
  /** Where every service writes who did what. */
  readonly audit: AuditLog;
  /** Sends mails of the installation; null without SMTP_URL. */
  readonly mailer: Mailer | null;
  /** Where scripts of users run: a lane for each tenant. */
  readonly sandbox: SandboxPool;
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
  /** Aborts as soon as the process is told to stop: nobody should send it anything any more, though all is done that comes. */
  readonly leaving: AbortSignal;
  /** Aborts when the process stops, while everything still works: time to give work back. */
  readonly stopping: AbortSignal;
}
