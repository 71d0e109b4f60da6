import { parseArgs } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster } from '../support/cluster';
import { Ledger } from '../support/ledger';
import { Api } from '../support/server';
import { Chance } from './chance';
import { PatientClient } from './client';
import { Operator } from './operator';
import { Promises } from './promises';
import { judge, type Verdict } from './verdict';
import { makeFlows, Workload } from './workload';

const USAGE = `npm run chaos -- [options]
  --minutes N    how long things go wrong (5)
  --seed N       of what goes wrong and when (by the clock)
  --clients N    how many use the cluster meanwhile (12)`;

/** Every run must have ended within this time after the last fault. */
const SETTLE_MS = 60_000;
const PROGRESS_MS = 5_000;
const VIOLATIONS_SHOWN = 20;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Runs a load of every kind against real processes while an operator injects faults; prints the counts at the end. */
async function main(): Promise<boolean> {
  const { minutes, seed, clients } = optionsOf();
  say(`seed ${seed}, ${minutes} minutes, ${clients} clients`);
  const ledger = await Ledger.open();
  const cluster = await Cluster.start({
    executors: 3,
    gateways: 2,
    env: { LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn' },
  });
  if (cluster === null) throw new Error('nats-server is needed: install it, and try again');
  let holds = false;
  try {
    const api = new Api(cluster.url);
    await api.register('chaos');
    const promises = new Promises();
    const chance = new Chance(seed + 1);
    const client = new PatientClient(cluster, api.token, promises, () => chance.next());
    const flows = await makeFlows(api, ledger);
    const workload = new Workload({ cluster, client, promises, flows, chance, token: api.token });
    const began = Date.now();
    const deadline = began + minutes * 60_000;
    const time = (): string => `${((Date.now() - began) / 1_000).toFixed(1).padStart(6)} s`;
    const operator = new Operator(cluster, new Chance(seed), (line) => say(`${time()}  ${line}`));
    const progress = setInterval(() => {
      say(`${time()}  accepted ${promises.accepted.length}, answers ${errorText(promises.answers)}`);
    }, PROGRESS_MS);
    await Promise.all([operator.until(deadline), workload.run(clients, deadline, deadline + SETTLE_MS)]);
    const calmFor = await settled(cluster, promises, Date.now() + SETTLE_MS);
    clearInterval(progress);
    const verdict = await judge(cluster.db, ledger, promises, workload.abandoned);
    report(verdict, operator, promises, { calmFor, arrivals: ledger.arrivals.length, abandoned: workload.abandoned });
    holds = verdict.violations.length === 0 && operator.faults.length === 0;
    for (const { stream } of promises.accepted) stream?.close();
  } finally {
    ledger.close();
    await cluster.remove({ keep: !holds });
    if (!holds) say(`The data is kept: npm run store -- --dir ${cluster.dir}/store; run again with --seed ${seed}`);
  }
  return holds;
}

/** Milliseconds until no run was active and each stream had sent its end event, or until the deadline. */
async function settled(cluster: Cluster, promises: Promises, deadline: number): Promise<number> {
  const began = Date.now();
  const open = async (): Promise<boolean> =>
    (await cluster.db.collection('executions').findOne({ status: 'running' })) !== null ||
    promises.accepted.some(({ stream }) => stream !== null && !stream.ended);
  while (Date.now() < deadline && (await open())) await sleep(100);
  return Date.now() - began;
}

function report(
  verdict: Verdict,
  operator: Operator,
  promises: Promises,
  more: { calmFor: number; arrivals: number; abandoned: number },
): void {
  const rows: readonly (readonly [string, unknown])[] = [
    ['things done to it', errorText(operator.done)],
    ['answers', errorText(promises.answers)],
    ['runs accepted', verdict.runs],
    ['  ended', errorText(verdict.ended)],
    ['  lost', verdict.lost],
    ['  stuck', verdict.stuck],
    ['requests without a final answer', more.abandoned],
    ['effects at the ledger', more.arrivals],
    ['  again while in flight', verdict.repeatedInFlight],
    ['streams followed', verdict.streams],
    ['quiet after', `${more.calmFor} ms`],
    ['violations', verdict.violations.length],
    ['processes that failed', operator.faults.length],
  ];
  say('');
  for (const [name, value] of rows) say(`  ${name.padEnd(34)}${String(value)}`);
  for (const { run, kind, what, history } of verdict.violations.slice(0, VIOLATIONS_SHOWN)) {
    say(`\n${run} (${kind}): ${what}`);
    for (const line of history) say(`    ${line}`);
  }
  for (const fault of operator.faults) say(`\n${fault}`);
  say('');
}

const errorText = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name}: ${count}`)
    .join(', ');

function optionsOf(): { minutes: number; seed: number; clients: number } {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ options: { minutes: text, seed: text, clients: text } });
  const numbers = {
    minutes: Number(values.minutes ?? 5),
    seed: Number(values.seed ?? Date.now() % 1_000_000),
    clients: Number(values.clients ?? 12),
  };
  if (Object.values(numbers).some((number) => !(number >= 0))) throw new Error(USAGE);
  return numbers;
}

main().then(
  (holds) => process.exit(holds ? 0 : 1),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
