import { parseArgs } from 'node:util';
import { Tenant } from './client';
import { measureSync } from './disk';
import { measureRounds, soak } from './rounds';
import { startServer } from './server';
import { benchStore } from './store';
import { serverTable, soakTable, storeTable, syncTable } from './tables';

const USAGE = `npm run bench -- [options]
  --rounds N     rounds of which the medians are taken (3)
  --seconds N    length of each measurement (5)
  --runs N       only a soak: N runs, memory every 10,000
  --only PART    only "server" or "store"
`;

/** Progress goes to stderr, tables to stdout: `npm run -s bench > results.md`. */
const log = (line: string): void => void process.stderr.write(`${line}\n`);
const print = (text: string): void => void process.stdout.write(`${text}\n\n`);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '5' },
      runs: { type: 'string' },
      only: { type: 'string' },
    },
  });
  const [rounds, seconds, runs] = [values.rounds, values.seconds, values.runs ?? '0'].map(wholeNumber);
  if (values.only !== undefined && !['server', 'store'].includes(values.only)) throw new Error(USAGE);
  if (values.only !== 'store') await benchServer({ rounds: rounds ?? 3, seconds: seconds ?? 5, runs: runs ?? 0 });
  if (values.only !== 'server' && runs === 0) {
    log('store');
    print(storeTable(await benchStore()));
  }
}

async function benchServer(options: { rounds: number; seconds: number; runs: number }): Promise<void> {
  if (options.runs === 0) print(syncTable(measureSync()));
  const server = await startServer();
  try {
    const tenant = await Tenant.register(server.url);
    if (options.runs > 0) print(soakTable(await soak(server, tenant, options.runs, log)));
    else print(serverTable(await measureRounds(server, tenant, options, log)));
  } finally {
    await server.stop();
  }
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 0) throw new Error(USAGE);
  return number;
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
