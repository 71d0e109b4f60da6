import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Tenant } from './client';
import { measureSync } from './disk';
import { startRestate } from './restate';
import { everstep, measureRounds, OTHER, restateTarget, soak, type Target } from './rounds';
import { type BenchServer, type OtherBuild, startServer } from './server';
import { benchStore } from './store';
import { serverTable, soakTable, storeTable, syncTable } from './tables';

const USAGE = `npm run bench -- [options]
  --rounds N     rounds of which the medians are taken (3)
  --seconds N    length of each measurement (5)
  --runs N       only a soak: N runs, memory every 10,000
  --only PART    only "server" or "store"
  --against DIR  beside the server of another checkout, which is built
  --node PATH    the Node for that checkout
  --restate DIR  beside Restate's server; DIR has @restatedev/restate-server and @restatedev/restate-sdk installed
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
      against: { type: 'string' },
      node: { type: 'string', default: process.execPath },
      restate: { type: 'string' },
    },
  });
  const [rounds, seconds, runs] = [values.rounds, values.seconds, values.runs ?? '0'].map(wholeNumber);
  if (values.only !== undefined && !['server', 'store'].includes(values.only)) throw new Error(USAGE);
  const against = values.against === undefined ? undefined : { folder: resolve(values.against), node: values.node };
  const restate = values.restate === undefined ? undefined : resolve(values.restate);
  if (values.only !== 'store') {
    await benchServer({ rounds: rounds ?? 3, seconds: seconds ?? 5, runs: runs ?? 0, against, restate });
  }
  if (values.only !== 'server' && runs === 0) {
    log('store');
    print(storeTable(await benchStore()));
  }
}

interface Options {
  readonly rounds: number;
  readonly seconds: number;
  readonly runs: number;
  readonly against: OtherBuild | undefined;
  readonly restate: string | undefined;
}

async function benchServer(options: Options): Promise<void> {
  if (options.runs === 0) print(syncTable(measureSync()));
  const servers: BenchServer[] = [];
  const started = async (starting: Promise<BenchServer>): Promise<BenchServer> => {
    const server = await starting;
    servers.push(server);
    return server;
  };
  try {
    const server = await started(startServer());
    const tenant = await Tenant.register(server.url);
    if (options.runs > 0) {
      print(soakTable(await soak(server, tenant, options.runs, log)));
      return;
    }
    const targets: Target[] = [await everstep('', server, tenant)];
    if (options.against !== undefined) {
      const other = await started(startServer(undefined, options.against));
      targets.push(await everstep(OTHER, other, await Tenant.register(other.url)));
    }
    if (options.restate !== undefined) targets.push(restateTarget(await started(startRestate(options.restate))));
    print(serverTable(await measureRounds(targets, options, log)));
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
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
