import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Config } from '../lib/config';
import type { Running } from './process';
import { fatal } from './error-text';
import { shrinkWhenIdle } from '../lib/idle-memory';

/** Time limit of closing, after the grace period of running steps. */
const STOP_MS = 5_000;

/** Installs handlers for signals and unhandled rejections, and prints the addresses. */
export function serve(config: Config, running: Running, tookMs: number): void {
  surviveRejections(running);
  stopOnSignals(config, running);
  shrinkWhenIdle();
  greet(config, running, tookMs);
}

function greet(config: Config, { broker, keys, metricsPort }: Running, tookMs: number): void {
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  const gateway = broker.getLocalService('api-gateway') as unknown as { server?: Server } | undefined;
  const address = gateway?.server?.address() as AddressInfo | null | undefined;
  const url = config.baseUrl ?? `http://localhost:${address?.port ?? config.port}`;
  say('');
  say(`  Everstep is up (pid ${process.pid}, ${Math.round(tookMs)} ms)`);
  if (address) {
    say(`  Listening   ${url}`);
    if (config.console) say(`  Console     ${url}/console`);
    say(`  API         ${url}/docs`);
  }
  if (metricsPort !== null) say(`  Metrics     http://localhost:${metricsPort}/metrics`);
  if (config.services !== null) say(`  Services    ${config.services.join(', ')}`);
  say(`  Data        ${config.mongoUrl === null ? config.dataDir : 'MongoDB, by MONGO_URL'}`);
  if (keys.file !== null) {
    say(`  Keys        ${keys.file}${keys.made ? ' (made just now)' : ''}`);
    say(
      '              In production, set MASTER_KEY, JWT_SECRET and PRINCIPAL_KEY yourself, and keep them outside of the data.',
    );
  }
  if (address) {
    say('  Sign up     ');
    say(`    curl -s ${url}/api/v1/auth/register -H 'content-type: application/json' \\`);
    say(
      `      -d '{"tenant_slug":"acme","tenant_name":"Acme","email":"you@example.com","password":"choose-a-long-one"}'`,
    );
  }
  say('');
}

/**
 * An unhandled rejection is a defect of one operation: it is logged, and other tenants' runs continue. An exception
 * outside of promises still ends the process, as its state is unknown then; runs that keep causing it fail as poisoned.
 */
function surviveRejections({ broker }: Running): void {
  process.on('unhandledRejection', (fault) =>
    broker.logger.error('Unhandled promise rejection; this is a defect of the service', fault),
  );
}

function stopOnSignals(config: Config, running: Running): void {
  let stopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping) return process.exit(1);
      stopping = true;
      setTimeout(() => process.exit(1), config.shutdownDelayMs + config.executor.shutdownGraceMs + STOP_MS).unref();
      running.stop().then(
        () => process.exit(0),
        (fault: unknown) => fatal(fault),
      );
    });
  }
}
