import type { BrokerOptions } from 'moleculer';
import type { LoggerOptions } from 'pino';
import type { Connection } from 'mongoose';
import { type Config, readConfig } from './lib/config';
import { lineOf } from './lib/logging/line';
import { busOptions } from './mixins/bus';
import type { BusKeys } from './mixins/bus/guard';
import { AVOIDABLE, REPEATABLE } from './services/catalogue';

/** The configuration of this process: the environment, read once, checked and frozen. @throws ConfigError */
export const loadConfig = (): Config => readConfig(process.env);

/** What a broker that is one of many needs of its process. */
export interface ProcessParts {
  readonly db: Connection;
  /** That all processes of the cluster have, and nobody else. */
  readonly keys: BusKeys;
  readonly onFatal: (fault: Error) => void;
}

/** Options of the broker that carries the services of a process. @throws ConfigError for files that cannot be read */
export function brokerOptions(config: Config, nodeId: string, parts: ProcessParts | null = null): BrokerOptions {
  return {
    namespace: config.namespace,
    nodeID: nodeId,
    logger: {
      type: 'Pino',
      options: { level: config.logLevel, pino: { options: pinoOptions(config, nodeId) } },
    },
    requestTimeout: config.requestTimeoutMs,
    // A second try after a crash is right only for actions that may run twice; each such caller asks for it itself.
    retryPolicy: { enabled: false },
    // Params are checked by `defineService`, after the caller has been.
    validator: false,
    // The start handles signals: the order of closing matters (services, then connections, then the store).
    skipProcessEventRegistration: true,
    // They would tell anybody on the bus what runs where, and nobody here asks them.
    internalServices: false,
    registry: { preferLocal: true },
    dependencyInterval: 50,
    dependencyTimeout: 30_000,
    ...(config.bus === null || parts === null
      ? {}
      : busOptions(config.bus, nodeId, {
          ...parts,
          repeatable: REPEATABLE,
          avoidable: AVOIDABLE,
          stopGraceMs: config.executor.shutdownGraceMs,
        })),
  };
}

/** Moleculer's loggers are called with words first and what belongs to them after; pino by itself drops the latter, and hides nothing. */
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
