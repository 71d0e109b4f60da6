import { resolve } from 'node:path';
import { type BillingConfig, readBilling } from './billing-config';
import { type BusConfig, readBus } from './bus-config';
import { type BotMessengerConfig, readBotMessenger } from './bot-messenger-config';
import { readOperators } from './operators-config';
import { readConnectorUrls } from './connector-config';
import { parseEgressAllow } from './egress/rules';
import { errorMessage } from './errors';
import { type MailConfig, readMail } from './mail-config';
import { type KeyTexts, missingKeys, readKeys } from './keys-config';
import { type LlmConfig, readLlm } from './llm/config';
import { type OAuthConfig, readOAuth } from './oauth-config';
import { type MessagingConfig, readMessaging } from './messaging-config';
import { readTrustProxy, type TrustedProxies } from './proxy-config';
import { type QdrantConfig, readQdrant } from './qdrant-config';
import { readSignIn, type SignInConfig } from './sign-in-config';
import { readTracing, type TracingConfig } from './tracing/config';
import { readVoice, type VoiceConfig } from './voice-config';

/** Every setting of a process, read once from the environment, checked and frozen. Durations in milliseconds, sizes in bytes. */
export interface Config {
  readonly production: boolean;
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  /** Services to run in this process; null for all. */
  readonly services: readonly string[] | null;
  readonly namespace: string;
  readonly nodeId: string | null;
  /** Null: the built-in document store. */
  readonly mongoUrl: string | null;
  /** Null: a single process. */
  readonly bus: BusConfig | null;
  /** Null: each process has its own caches and rate limits. */
  readonly redisUrl: string | null;
  /** Null: vectors are stored in the database and searched by this process. */
  readonly qdrant: QdrantConfig | null;
  /** Memory of the thread that searches knowledge bases, in bytes. */
  readonly knowledgeIndexBytes: number;
  readonly keys: KeyTexts;
  /** Base of links in responses; null: taken from the request or the listening address. */
  readonly baseUrl: string | null;
  /** Whether the gateway serves the web console. */
  readonly console: boolean;
  /** Origins admitted by CORS, or `*`. */
  readonly corsOrigins: readonly string[] | '*';
  /** Text of EGRESS_ALLOW; parsed by the egress client. */
  readonly egressAllow: string;
  /** Proxies whose X-Forwarded-* headers are trusted. */
  readonly trustProxy: TrustedProxies;
  /** Null: steps that send mail must configure a server. */
  readonly mail: MailConfig | null;
  readonly plansFile: string | null;
  /** JSON file of OAuth apps that all tenants may use. */
  readonly oauthAppsFile: string | null;
  readonly billing: BillingConfig;
  readonly llm: LlmConfig;
  /** Null: events of voice rooms are rejected. */
  readonly voice: VoiceConfig | null;
  readonly botMessenger: BotMessengerConfig;
  readonly messaging: MessagingConfig;
  /** Addresses of connector APIs by connector name; others use their default address. */
  readonly connectorUrls: ReadonlyMap<string, string>;
  readonly signIn: SignInConfig;
  /** E-mail addresses of the people who operate the installation, in lower case. */
  readonly operators: readonly string[];
  /** OAuth providers of connections. */
  readonly oauth: OAuthConfig;
  /** Requests per second and client; null disables the limit. */
  readonly rateLimit: number | null;
  readonly bodyLimit: number;
  readonly webhookLimit: number;
  /** Maximum size of a file. */
  readonly uploadLimit: number;
  /** Days to keep ended executions, instead of the plan's; 0: unlimited. Null: the plan's. */
  readonly retentionDays: number | null;
  readonly requestTimeoutMs: number;
  readonly logLevel: LogLevel;
  /** Port of the metrics; null: no metrics. */
  readonly metricsPort: number | null;
  /** Null: no traces. */
  readonly tracing: TracingConfig | null;
  /** Delay between reporting "not ready" and closing, so that load balancers notice. */
  readonly shutdownDelayMs: number;
  readonly executor: { readonly capacity: number; readonly leaseMs: number; readonly shutdownGraceMs: number };
}

/** Minimum log level. */
type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace';

/** All services, by their names in SERVICES. */
export const SERVICE_NAMES = [
  'auth',
  'secrets',
  'connections',
  'connectors',
  'workflows',
  'executions',
  'executor',
  'scheduler',
  'alerts',
  'channels',
  'files',
  'ai',
  'knowledge',
  'skills',
  'evaluations',
  'billing',
  'audit',
  'api-gateway',
] as const;
export type ServiceName = (typeof SERVICE_NAMES)[number];

/** All faults of the environment. The start prints them and exits. */
export class ConfigError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(`Invalid configuration:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

type Env = Readonly<Record<string, string | undefined>>;

const LOG_LEVELS: readonly LogLevel[] = ['fatal', 'error', 'warn', 'info', 'debug', 'trace'];
const REDIS_URL =
  /^rediss?:\/\/(?:(?:[^\s/?#@%]|%[\da-f]{2})*@)?(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?(?:\/\d{0,5})?$/i;
const SIZE_UNITS: Record<string, number> = {
  '': 1,
  b: 1,
  k: 1024,
  kb: 1024,
  kib: 1024,
  m: 1024 ** 2,
  mb: 1024 ** 2,
  mib: 1024 ** 2,
};

/**
 * Reads the configuration from an environment. Pure.
 * @throws ConfigError naming each invalid variable, the allowed values, and what to change
 */
export function readConfig(env: Env): Config {
  const faults: string[] = [];
  const read = reader(env, faults);
  const services = read.names('SERVICES', SERVICE_NAMES);
  const mongoUrl = read.url('MONGO_URL', ['mongodb:', 'mongodb+srv:']);
  const production = env.NODE_ENV === 'production';
  const keys = readKeys(read.text, faults);
  if (services !== null && mongoUrl === null && services.length < SERVICE_NAMES.length) {
    faults.push(
      'SERVICES lists only some services, but without MONGO_URL no other process can share the data; unset SERVICES or set MONGO_URL',
    );
  }
  const bus = readBus(read.text, faults);
  if (bus !== null && mongoUrl === null) {
    faults.push('TRANSPORTER joins processes that share one database; set MONGO_URL too');
  }
  if ((production && mongoUrl !== null) || bus !== null) {
    const missing = missingKeys(keys);
    const who = bus === null ? 'NODE_ENV=production with MONGO_URL' : 'TRANSPORTER';
    if (missing.length > 0) faults.push(`${who} requires keys shared by all processes: set ${missing.join(', ')}`);
  }
  const config: Config = {
    production,
    host: read.text('HOST') ?? '0.0.0.0',
    port: read.integer('PORT', 3000, 0, 65_535),
    dataDir: resolve(read.text('DATA_DIR') ?? 'data'),
    services,
    namespace: read.subject('NAMESPACE') ?? 'everstep',
    nodeId: read.subject('NODE_ID'),
    mongoUrl,
    bus,
    redisUrl: read.redis('REDIS_URL'),
    qdrant: readQdrant(read.text, faults),
    knowledgeIndexBytes: read.integer('KNOWLEDGE_INDEX_MB', 512, 32, 4_000) * 1024 ** 2,
    keys,
    baseUrl: read.url('BASE_URL', ['http:', 'https:'])?.replace(/\/+$/, '') ?? null,
    console: read.word('CONSOLE', ['on', 'off'], 'on') === 'on',
    corsOrigins: read.origins('CORS_ORIGINS'),
    egressAllow: read.egress('EGRESS_ALLOW'),
    trustProxy: readTrustProxy(read.text, faults),
    mail: readMail(read.text, faults),
    plansFile: read.text('PLANS_FILE'),
    oauthAppsFile: read.text('OAUTH_APPS_FILE'),
    billing: readBilling(read, faults),
    llm: readLlm(read, faults),
    voice: readVoice(read.text, faults),
    botMessenger: readBotMessenger(read.text, faults),
    messaging: readMessaging(read.text),
    connectorUrls: readConnectorUrls(env, faults),
    signIn: readSignIn(read, faults),
    operators: readOperators(read.text, faults),
    oauth: readOAuth(read, faults),
    rateLimit: env.RATE_LIMIT === 'off' ? null : read.integer('RATE_LIMIT', 5_000, 1, 1_000_000),
    bodyLimit: read.size('BODY_LIMIT', 6 * 1024 ** 2),
    webhookLimit: read.size('WEBHOOK_LIMIT', 16 * 1024 ** 2),
    uploadLimit: read.size('UPLOAD_LIMIT', 64 * 1024 ** 2),
    retentionDays: read.text('RETENTION_DAYS') === null ? null : read.integer('RETENTION_DAYS', 0, 0, 36_500),
    requestTimeoutMs: read.integer('REQUEST_TIMEOUT', 55, 1, 3_600) * 1_000,
    logLevel: read.word('LOG_LEVEL', LOG_LEVELS, 'warn'),
    metricsPort: ['off', null].includes(read.text('METRICS_PORT')) ? null : read.integer('METRICS_PORT', 0, 0, 65_535),
    tracing: readTracing(read.text, faults),
    shutdownDelayMs: read.integer('SHUTDOWN_DELAY_SECONDS', 0, 0, 300) * 1_000,
    executor: {
      capacity: read.integer('EXECUTOR_CAPACITY', 2_000, 1, 100_000),
      leaseMs: read.integer('LEASE_SECONDS', 4, 1, 300) * 1_000,
      shutdownGraceMs: read.integer('SHUTDOWN_GRACE_SECONDS', 10, 0, 3_600) * 1_000,
    },
  };
  if (faults.length > 0) throw new ConfigError(faults);
  return deepFreeze(config);
}

function reader(env: Env, faults: string[]) {
  const text = (name: string): string | null => env[name]?.trim() || null;
  const parsed = (name: string, protocols: readonly string[]): string | null => {
    const value = text(name);
    if (value === null) return null;
    if (protocols.some((protocol) => value.startsWith(`${protocol}//`))) return value;
    faults.push(`${name} must begin with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`);
    return null;
  };
  return {
    text,
    url: parsed,
    /** A text usable in NATS subjects, in which blanks and wildcards have a meaning. */
    subject(name: string): string | null {
      const value = text(name);
      if (value === null || (value.length <= 128 && /^[\w:@-]+(\.[\w:@-]+)*$/.test(value))) return value;
      faults.push(
        `${name}="${value}" must consist of letters, digits and : @ _ -, separated by single dots, at most 128 characters`,
      );
      return null;
    },
    redis(name: string): string | null {
      const value = text(name);
      // No query: it could set any option of the client.
      if (value === null || (REDIS_URL.test(value) && URL.canParse(value))) return value;
      // Not repeated, as the value may hold a password.
      faults.push(`${name} must look like redis://host:6379 or rediss://user:password@host:6379/0`);
      return null;
    },
    integer(name: string, fallback: number, min: number, max: number): number {
      const value = text(name);
      if (value === null) return fallback;
      const number = Number(value);
      if (Number.isInteger(number) && number >= min && number <= max) return number;
      faults.push(`${name}="${value}" must be a whole number from ${min} to ${max}`);
      return fallback;
    },
    size(name: string, fallback: number): number {
      const value = text(name);
      if (value === null) return fallback;
      const [, amount, unit] = /^(\d+)\s*([a-z]*)$/i.exec(value) ?? [];
      const factor = SIZE_UNITS[unit?.toLowerCase() ?? '-'];
      if (amount !== undefined && factor !== undefined) return Number(amount) * factor;
      faults.push(`${name}="${value}" must be a size in bytes such as 6291456, 6mb or 512kb`);
      return fallback;
    },
    word<const W extends string>(name: string, allowed: readonly W[], fallback: W): W {
      const value = text(name);
      if (value === null) return fallback;
      const found = allowed.find((word) => word === value);
      if (found !== undefined) return found;
      faults.push(`${name}="${value}" must be one of ${allowed.join(', ')}`);
      return fallback;
    },
    names(name: string, allowed: readonly string[]): readonly string[] | null {
      const value = text(name);
      if (value === null) return null;
      const names = value
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '');
      for (const unknown of names.filter((part) => !allowed.includes(part))) {
        faults.push(`${name} names "${unknown}", allowed are ${allowed.join(', ')}`);
      }
      return names;
    },
    egress(name: string): string {
      const value = text(name) ?? '';
      try {
        parseEgressAllow(value);
      } catch (error) {
        faults.push(`${name} has ${errorMessage(error)}`);
      }
      return value;
    },
    origins(name: string): readonly string[] | '*' {
      const value = text(name);
      if (value === null || value === '*') return '*';
      return value
        .split(',')
        .map((part) => part.trim().replace(/\/+$/, ''))
        .filter((part) => part !== '');
    },
  };
}

function deepFreeze<T extends object>(value: T): T {
  for (const member of Object.values(value))
    if (typeof member === 'object' && member !== null) deepFreeze(member as object);
  return Object.freeze(value);
}
