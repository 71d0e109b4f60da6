import { parseArgs } from 'node:util';
import { table } from '../tables';
import { measureTakeover } from './failover';
import { measureScaling } from './scaling';
import { measureSignals } from './signals';

const USAGE = `npm run bench:cluster -- [options]
  --executors N  the most executors (3)
  --rounds N     rounds of each measurement (3)
  --seconds N    length of each load (5)
  --only PART    only "scaling", "takeover" or "signals"
`;
const PARTS = ['scaling', 'takeover', 'signals'] as const;
const SIGNALS = 200;
const RUNS_AT_RISK = 15;

const log = (line: string): void => void process.stderr.write(`${line}\n`);
const print = (text: string): void => void process.stdout.write(`${text}\n\n`);

async function main(): Promise<void> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ options: { executors: text, rounds: text, seconds: text, only: text } });
  const [executors, rounds, seconds] = [values.executors ?? '3', values.rounds ?? '3', values.seconds ?? '5'].map(
    (given) => {
      const number = Number(given);
      if (!Number.isSafeInteger(number) || number < 1) throw new Error(USAGE);
      return number;
    },
  ) as [number, number, number];
  if (values.only !== undefined && !PARTS.some((part) => part === values.only)) throw new Error(USAGE);
  const wanted = (part: (typeof PARTS)[number]): boolean => values.only === undefined || values.only === part;
  if (wanted('scaling')) {
    const rows = await measureScaling(executors, { rounds, seconds }, log);
    print(scalingTable(rows));
    print(costTable(rows));
  }
  if (wanted('takeover')) {
    const options = { executors, runs: RUNS_AT_RISK, rounds };
    print(
      takeoverTable([await measureTakeover('SIGKILL', options, log), await measureTakeover('SIGTERM', options, log)]),
    );
  }
  if (wanted('signals')) print(signalTable(await measureSignals(SIGNALS)));
}

const scalingTable = (rows: Awaited<ReturnType<typeof measureScaling>>): string =>
  table(
    ['executors', 'sync runs per second', 'narrow runs per second', 'of one', 'backlog runs per second'],
    rows.map(({ executors, sync, narrow, backlog }) => [
      executors,
      Math.round(sync.perSecond),
      Math.round(narrow),
      `${(narrow / (rows[0]?.narrow ?? Number.NaN)).toFixed(2)} times`,
      Math.round(backlog),
    ]),
  );

/** What one synchronous run costs. */
const costTable = (rows: Awaited<ReturnType<typeof measureScaling>>): string => {
  const roles = Object.keys(rows[0]?.sync.cpuMs ?? {});
  return table(
    ['executors', ...roles.map((role) => `CPU ms, ${role}`), 'messages', 'bytes over NATS'],
    rows.map(({ executors, sync }) => [
      executors,
      ...roles.map((role) => (sync.cpuMs[role] ?? 0).toFixed(2)),
      sync.messages.toFixed(1),
      Math.round(sync.bytes),
    ]),
  );
};

const takeoverTable = (rows: readonly Awaited<ReturnType<typeof measureTakeover>>[]): string =>
  table(
    ['ended by', 'runs moved', 'p50 ms', 'worst ms'],
    rows.map(({ signal, runs, p50, worst }) => [signal, runs, Math.round(p50), Math.round(worst)]),
  );

const signalTable = ({ signals, p50, p99 }: Awaited<ReturnType<typeof measureSignals>>): string =>
  table(['signals to waiting runs', 'p50 ms', 'p99 ms'], [[signals, p50.toFixed(1), p99.toFixed(1)]]);

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
