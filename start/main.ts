import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import type { Server } from 'node:http';
import type { Config } from '../lib/config';
import { loadConfig } from '../moleculer.config';
import { type Running, startProcess } from './process';
import { fatal } from './words';

/** Longest time that an orderly stop may take before the process leaves all the same. */
const STOP_MS = 5_000;

// By default V8 lets a small heap grow to four times what lives in it before it looks again. Under load that held 60 MiB
// more than this does, for two runs in a hundred at 16 connections.
setFlagsFromString('--heap-growing-percent=120');

async function main(): Promise<void> {
  const began = performance.now();
  const config = loadConfig();
  const running = await startProcess(config, fatal);
  stopOnSignals(config, running);
  greet(config, running, performance.now() - began);
}

function greet(config: Config, { broker, keys, metricsPort }: Running, tookMs: number): void {
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  const gateway = broker.getLocalService('api-gateway') as unknown as { server?: Server } | undefined;
  const address = gateway?.server?.address() as AddressInfo | null | undefined;
  const url = config.baseUrl ?? `http://localhost:${address?.port ?? config.port}`;
  say('');
  say(`  Everstep is up (pid ${process.pid}, ${Math.round(tookMs)} ms)`);
  if (address) say(`  Listening   ${url}`);
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

main().catch(fatal);
