import type { Db } from 'mongodb';
import type { Clock } from '../../lib/clock';
import { ChoreLease } from '../lease';
import { fencesOf, type Migration, pendingOf, recordsOf, refusalOf } from './step';
import { type Footprint, workOf } from './walk';

/** How a round of migrations has ended. `elsewhere`: another process is at it. */
export type Outcome = 'done' | 'elsewhere' | 'stopped';

/** What a round needs. */
export interface Round {
  readonly db: Db;
  readonly steps: readonly Migration[];
  readonly kinds: readonly Migration['kind'][];
  /** Steps that are done are done again: a process of the version before may have written since. */
  readonly again?: boolean;
  /** Of this process; no other one has it. */
  readonly holder: string;
  readonly version: string;
  readonly clock: Clock;
  readonly log: (message: string) => void;
  /** Aborts when the process stops; the round ends after the batch that it is at. */
  readonly signal: AbortSignal;
}

/** The step must not go on: the process stops, or somebody else has the lease. */
class Interrupted extends Error {}

/** @throws Error in words for the operator when the data is of a newer version */
export async function assertKnown(db: Db, steps: readonly Migration[], version: string): Promise<void> {
  const fence = await fencesOf(db).findOne({ _id: 'fence' });
  const refusal = refusalOf(fence, steps, version);
  if (refusal !== null) throw new NewerDataError(refusal);
}

/** The data is of a newer version than the program; the message is for the operator. */
export class NewerDataError extends Error {
  override readonly name = 'NewerDataError';
}

/** Of a database that nobody has used yet: nothing is older than this version. */
export async function beginFresh({
  db,
  steps,
  version,
  clock,
}: Pick<Round, 'db' | 'steps' | 'version' | 'clock'>): Promise<void> {
  for (const { number } of steps) await finish(db, number, { position: null, changed: 0 }, clock.now());
  await raiseFence(db, steps, version);
}

/** Numbers of the steps that are done. */
export async function doneSteps(db: Db): Promise<ReadonlySet<number>> {
  const done = await recordsOf(db).find({ state: 'done' }).toArray();
  return new Set(done.map(({ _id }) => Number(_id)));
}

/** Does what is to be done, one process at a time, going on where one that died has been. */
export async function migrate(round: Round): Promise<Outcome> {
  const { db, steps, kinds, again = false } = round;
  const lease = new ChoreLease(db, 'migrations', round.holder, round.clock);
  if (pendingOf(steps, again ? new Set() : await doneSteps(db), kinds).length === 0) return 'done';
  if (!(await lease.take())) return 'elsewhere';
  try {
    // Once more, as another process may have been at it until now.
    const done = again ? new Set<number>() : await doneSteps(db);
    for (const step of pendingOf(steps, done, kinds)) await take(step, round, lease);
    return 'done';
  } catch (fault) {
    if (fault instanceof Interrupted) return 'stopped';
    throw fault;
  } finally {
    await lease.release();
  }
}

async function take(
  step: Migration,
  { db, clock, log, signal, version, again = false }: Round,
  lease: ChoreLease,
): Promise<void> {
  const records = recordsOf(db);
  const _id = String(step.number);
  const known = await records.findOne({ _id });
  let at: Footprint = {
    position: known?.state === 'running' && !again ? known.position : null,
    changed: again ? 0 : (known?.changed ?? 0),
  };
  log(`step ${_id} (${step.name}) ${at.position === null ? 'begins' : 'goes on'}`);
  // In the step's stead nobody else works on it: the word is said before the first change.
  if (step.fences === true) await raiseFence(db, [step], version);
  const save = async (reached: Footprint): Promise<void> => {
    at = reached;
    // First: who stood still for too long must not write over what another one has put on record meanwhile.
    if (!(await lease.take())) throw new Interrupted();
    await records.updateOne({ _id }, { $set: { state: 'running', ...at, done_at: null } }, { upsert: true });
    if (signal.aborted) throw new Interrupted();
  };
  await save(at);
  await step.run(workOf(db, at, save));
  await finish(db, step.number, at, clock.now());
  log(`step ${_id} (${step.name}) is done: ${at.changed} documents changed`);
}

async function finish(db: Db, number: number, { changed }: Footprint, now: number): Promise<void> {
  const done = { state: 'done', position: null, changed, done_at: new Date(now) } as const;
  await recordsOf(db).updateOne({ _id: String(number) }, { $set: done }, { upsert: true });
}

/** Keeps out, from now on, programs that do not know the last of these steps that fences. It never goes down. */
async function raiseFence(db: Db, steps: readonly Migration[], version: string): Promise<void> {
  const numbers = steps.filter(({ fences }) => fences === true).map(({ number }) => number);
  if (numbers.length === 0) return;
  const needs = Math.max(...numbers);
  const fences = fencesOf(db);
  await fences.updateOne({ _id: 'fence' }, { $setOnInsert: { needs, version } }, { upsert: true });
  await fences.updateOne({ _id: 'fence', needs: { $lt: needs } }, { $set: { needs, version } });
}
