import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../percentile';
import { Echo } from './echo';
import { Machines } from './machines';

/** How long it takes until the runs of a host go on elsewhere. Milliseconds from the signal to the run's next record. */
interface Takeover {
  readonly signal: 'SIGKILL' | 'SIGTERM';
  readonly runs: number;
  readonly p50: number;
  readonly worst: number;
}

const STEPS = 450;
const STEP_MS = 100;
const GIVE_UP_MS = 30_000;

/**
 * Runs of many short effects on several executors; one of those is ended, then started again, `rounds` times. The
 * journal tells which host made each record, and when; all processes share the machine's clock.
 */
export async function measureTakeover(
  signal: Takeover['signal'],
  options: { readonly executors: number; readonly runs: number; readonly rounds: number },
  log: (line: string) => void,
): Promise<Takeover> {
  const echo = await Echo.open();
  const machines = await Machines.start(options.executors);
  const times: number[] = [];
  try {
    const steps = Array.from({ length: STEPS }, (_, n) => echo.step(`s${n}`, STEP_MS));
    const workflow = await machines.tenant.workflow('chain', steps);
    for (let round = 1; round <= options.rounds; round++) {
      const runs = await Promise.all(Array.from({ length: options.runs }, () => machines.tenant.start(workflow)));
      await Promise.all(runs.map((run) => echo.next(run)));
      const found = await oneTakeover(machines, runs, signal, ((round - 1) % options.executors) + 1);
      times.push(...found);
      log(`${signal}, round ${round}: ${found.length} runs moved, the last after ${Math.max(...found)} ms`);
      await Promise.all(runs.map((run) => machines.tenant.cancel(run)));
    }
  } finally {
    await machines.stop();
    echo.close();
  }
  return { signal, runs: times.length, p50: percentile(times, 0.5), worst: Math.max(...times) };
}

async function oneTakeover(
  machines: Machines,
  runs: readonly string[],
  signal: Takeover['signal'],
  victim: number,
): Promise<number[]> {
  const owned = await machines.ownedBy(victim, runs);
  const at = Date.now();
  machines.end(victim, signal);
  const times = await Promise.all(owned.map(async (run) => (await nextRecord(machines, run, victim)) - at));
  await machines.startExecutor(victim);
  await machines.hosts(machines.executors);
  return times;
}

/** When the first record of another host was made. */
async function nextRecord(machines: Machines, run: string, victim: number): Promise<number> {
  const deadline = Date.now() + GIVE_UP_MS;
  while (Date.now() < deadline) {
    const at = await machines.firstRecordElsewhere(run, victim);
    if (at !== null) return at;
    await sleep(100);
  }
  throw new Error(`Run ${run} did not go on within ${GIVE_UP_MS} ms`);
}
