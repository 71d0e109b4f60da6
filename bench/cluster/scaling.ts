import { drive } from '../drive';
import { median } from '../percentile';
import { Echo } from './echo';
import { Machines } from './machines';

/** What some executors do together. Runs per second. */
interface Scale {
  readonly executors: number;
  /** Five steps and nothing else: the processors of the machine are the limit. */
  readonly sync: SyncLoad;
  /** Each run waits 200 ms for a server, and a host runs few at a time, so hosts are the limit. */
  readonly narrow: number;
  /** Work that was stored while no host lived, taken up and brought to its end. */
  readonly backlog: number;
}

/** Synchronous runs, and what one of them costs. */
interface SyncLoad {
  readonly perSecond: number;
  /** Milliseconds of a processor, by role. */
  readonly cpuMs: Readonly<Record<string, number>>;
  /** What processes send to NATS. */
  readonly messages: number;
  readonly bytes: number;
}

const BODY = JSON.stringify({ n: 1 });
const CALL_MS = 200;
/** Runs at a time and host where hosts are to be the limit. */
const NARROW = 20;
const BACKLOG = 4_000;

/** The same load on one executor, on two, and so on. */
export async function measureScaling(
  max: number,
  options: { readonly rounds: number; readonly seconds: number },
  log: (line: string) => void,
): Promise<Scale[]> {
  const rows: Scale[] = [];
  for (let executors = 1; executors <= max; executors++) {
    const sync = await measureSync(executors, options);
    const narrow = await measureNarrow(executors, options);
    const backlog = await measureBacklog(executors);
    log(
      `${executors} executors: ${sync.perSecond.toFixed()} sync, ${narrow.toFixed()} narrow, ${backlog.toFixed()} of a backlog, per second`,
    );
    rows.push({ executors, sync, narrow, backlog });
  }
  return rows;
}

async function measureSync(executors: number, options: { rounds: number; seconds: number }): Promise<SyncLoad> {
  const machines = await Machines.start(executors);
  try {
    const url = `${machines.url}/webhooks/${await machines.tenant.workflow('sync')}/sync`;
    await perSecond(url, 32, { rounds: 1, seconds: 2 });
    const before = await machines.usage();
    const { rate, answered } = await perSecond(url, 32, options);
    const after = await machines.usage();
    const cpuMs = Object.entries(after.cpu).map(([role, seconds]) => [
      role,
      ((seconds - (before.cpu[role] ?? 0)) * 1_000) / answered,
    ]);
    return {
      perSecond: rate,
      cpuMs: Object.fromEntries(cpuMs) as Record<string, number>,
      messages: (after.messages - before.messages) / answered,
      bytes: (after.bytes - before.bytes) / answered,
    };
  } finally {
    await machines.stop();
  }
}

async function measureNarrow(executors: number, options: { rounds: number; seconds: number }): Promise<number> {
  const echo = await Echo.open();
  const machines = await Machines.start(executors, { EXECUTOR_CAPACITY: String(NARROW) });
  try {
    const workflow = await machines.tenant.workflow('narrow', [echo.step('call', CALL_MS)]);
    return (await perSecond(`${machines.url}/webhooks/${workflow}/sync`, 2 * NARROW * executors, options)).rate;
  } finally {
    await machines.stop();
    echo.close();
  }
}

async function measureBacklog(executors: number): Promise<number> {
  const machines = await Machines.start(executors);
  try {
    const workflow = await machines.tenant.workflow('backlog');
    for (let n = 1; n <= executors; n++) machines.end(n, 'SIGTERM');
    await machines.hosts(0);
    const url = `${machines.url}/webhooks/${workflow}`;
    const load = await drive({ url, method: 'POST', body: BODY, connections: 16, amount: BACKLOG });
    if (load.refused > 0) throw new Error(`${load.refused} of ${BACKLOG} starts were refused while no host lived`);
    await Promise.all(Array.from({ length: executors }, (_, n) => machines.startExecutor(n + 1)));
    const began = await machines.firstClaim();
    await machines.tenant.settled(workflow, 120_000);
    return (BACKLOG / ((await machines.lastEnd()) - began)) * 1_000;
  } finally {
    await machines.stop();
  }
}

async function perSecond(
  url: string,
  connections: number,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<{ readonly rate: number; readonly answered: number }> {
  const order = { url, method: 'POST', body: BODY, connections } as const;
  let { answered } = await drive({ ...order, seconds: 2 });
  const found: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const result = await drive({ ...order, seconds });
    if (result.refused > 0) throw new Error(`${result.refused} of ${result.answered + result.refused} requests failed`);
    answered += result.answered;
    found.push(result.perSecond);
  }
  return { rate: median(found), answered };
}
