import type { BrokerOptions } from 'moleculer';
import type { LoggerOptions } from 'pino';
import type { Connection } from 'mongoose';
import { type Config, readConfig } from '../lib/config';
import { lineOf } from '../lib/logging/line';
import { busOptions } from '../lib/bus';
import { draining } from '../lib/bus/drain';
import type { BusKeys } from '../lib/bus/packet-validation';
import { ACTIONS_WITH_FALLBACK, IDEMPOTENT_ACTIONS } from '../contracts/catalogue';

/** The configuration of this process: the environment, read once, checked and frozen. @throws ConfigError */
export const loadConfig = (): Config => readConfig(process.env);

/** What a broker of a cluster needs from its process. */
interface ProcessDeps {
  readonly db: Connection;
  /** Shared by all processes of the cluster, and by no other program. */
  readonly keys: BusKeys;
  readonly onFatal: (fault: Error) => void;
}

/** Options of a process's broker. @throws ConfigError for files that cannot be read */
export function brokerOptions(config: Config, nodeId: string, parts: ProcessDeps | null = null): BrokerOptions {
  return {
    namespace: config.namespace,
    nodeID: nodeId,
    logger: {
      type: 'Pino',
      options: { level: config.logLevel, pino: { options: pinoOptions(config, nodeId) } },
    },
    requestTimeout: config.requestTimeoutMs,
    // Only actions that may run twice are retried; see lib/bus/retry.ts.
    retryPolicy: { enabled: false },
    // `defineService` validates params after it has authenticated the caller.
    validator: false,
    // `serve` handles signals: services stop first, then connections, then the store.
    skipProcessEventRegistration: true,
    // They would tell any client on the bus which process runs what, and nothing uses them.
    internalServices: false,
    registry: { preferLocal: true },
    dependencyInterval: 50,
    dependencyTimeout: 30_000,
    ...(parts === null
      ? {}
      : config.bus === null
        ? alone(config)
        : busOptions(config.bus, nodeId, {
            ...parts,
            idempotent: IDEMPOTENT_ACTIONS,
            hasFallback: ACTIONS_WITH_FALLBACK,
            stopGraceMs: config.executor.shutdownGraceMs,
          })),
  };
}

/** Without a cluster no other process can retry calls, so a stop waits for all of them. */
const alone = ({ executor }: Config): Partial<BrokerOptions> => ({
  middlewares: [draining(new Set(), executor.shutdownGraceMs)],
});

/** Moleculer passes the message first and values after it; pino expects the reverse and would drop them unredacted. */
const pinoOptions = (config: Config, nodeId: string): LoggerOptions => ({
  level: config.logLevel,
  base: { node: nodeId },
  hooks: {
    logMethod(given: unknown[], method) {
      const { words, fields } = lineOf(given);
      method.call(this, fields, words);
    },
  },
});
