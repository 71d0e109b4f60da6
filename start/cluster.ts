import { parseArgs } from 'node:util';
import { errorMessage } from '../lib/errors';
import { LocalCluster } from './local-cluster';
import { fatal } from './error-text';

const USAGE = `npm run cluster -- [options]
  --executors N   processes that run executions (3)
  --gateways N    processes that serve the API (1)
  --port N        port of the first gateway; the others follow (3000)
  --restart       start a process again that has ended by itself or was killed`;

/** `npm run cluster`: a cluster on this machine, to try out failures of its processes. */
async function main(): Promise<void> {
  const cluster = new LocalCluster(optionsOf(process.argv.slice(2)), process.env, say);
  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (stopping) return process.exit(1);
      stopping = true;
      void cluster.stop().then(() => process.exit(0), fatal);
    });
  }
  try {
    await cluster.start();
  } catch (fault) {
    // Stopped during the start: processes that were not ready yet fail to start.
    if (stopping) return;
    await cluster.stop();
    throw fault;
  }
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function optionsOf(args: string[]) {
  try {
    const text = { type: 'string' } as const;
    const { values } = parseArgs({
      args,
      options: { executors: text, gateways: text, port: text, restart: { type: 'boolean', default: false } },
    });
    return {
      executors: wholeNumber('executors', values.executors ?? '3', 1, 64),
      gateways: wholeNumber('gateways', values.gateways ?? '1', 1, 64),
      port: wholeNumber('port', values.port ?? '3000', 1, 65_000),
      restart: values.restart,
    };
  } catch (error) {
    throw new Error(`${errorMessage(error)}\n${USAGE}`, { cause: error });
  }
}

function wholeNumber(name: string, text: string, min: number, max: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= min && number <= max) return number;
  throw new Error(`--${name} ${text} must be a whole number from ${min} to ${max}`);
}

main().catch((fault: unknown) => fatal(errorMessage(fault)));
