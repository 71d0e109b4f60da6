import type { Db, AnyBulkWriteOperation, Document } from 'mongodb';
import type { Clock } from '../clock';
import { LeaderLock } from '../leader-lock';
import { fencesOf, type Migration, pendingOf, recordsOf, refusalOf, type StepRecord, type Work } from './step';
import { DURABLE } from '../write-concern';

const BATCH = 200;

/** Position and number of changes of a walk. */
interface Footprint {
  readonly position: StepRecord['position'];
  readonly changed: number;
}

/**
 * Context of one step, from its stored position. `save` is called after each batch, and throws when the walk must stop.
 * Collections are walked in the order in which the step names them.
 */
function workOf(db: Db, from: Footprint, save: (at: Footprint) => Promise<void>): Work {
  let at = from;
  // Collections that an earlier run has completed are skipped.
  let passed = from.position === null;
  return {
    db,
    async walk(name, filter, change) {
      const here = at.position?.collection === name;
      if (!passed && !here) return;
      let after = !passed && here ? (at.position?.id ?? null) : null;
      passed = true;
      const collection = db.collection<{ _id: string }>(name);
      for (;;) {
        const behind: Document = after === null ? {} : { _id: { $gt: after } };
        const batch = await collection
          .find({ $and: [filter, behind] })
          .sort({ _id: 1 })
          .limit(BATCH)
          .toArray();
        const last = batch.at(-1);
        if (last === undefined) return;
        const changes = batch.flatMap((document) => {
          // The step's type parameter describes the collection's documents.
          const made = change(document as never);
          if (made === null) return [];
          return [{ updateOne: { filter: { ...made.where, _id: document._id }, update: made.update } }];
        }) as AnyBulkWriteOperation<{ _id: string }>[];
        const options = { ordered: false, ...DURABLE } as const;
        const result = changes.length === 0 ? null : await collection.bulkWrite(changes, options);
        after = last._id;
        at = { position: { collection: name, id: after }, changed: at.changed + (result?.modifiedCount ?? 0) };
        await save(at);
      }
    },
  };
}

/** Outcome of a run of migrations. `elsewhere`: another process is running them. */
type Outcome = 'done' | 'elsewhere' | 'stopped';

/** Input of a run of migrations. */
export interface Round {
  readonly db: Db;
  readonly steps: readonly Migration[];
  readonly kinds: readonly Migration['kind'][];
  /** Repeats completed steps: a process of the previous version may have written since. */
  readonly again?: boolean;
  /** Unique id of this process. */
  readonly holder: string;
  readonly version: string;
  readonly clock: Clock;
  readonly log: (message: string) => void;
  /** Aborts when the process stops; the run ends after the current batch. */
  readonly signal: AbortSignal;
}

/** The step must not continue: the process is stopping, or another process has the lock. */
class Interrupted extends Error {}

/** @throws NewerDataError when a newer version has changed the data */
export async function assertKnown(db: Db, steps: readonly Migration[], version: string): Promise<void> {
  const fence = await fencesOf(db).findOne({ _id: 'fence' });
  const refusal = refusalOf(fence, steps, version);
  if (refusal !== null) throw new NewerDataError(refusal);
}

/** The data was changed by a newer version; the message is for the operator. */
export class NewerDataError extends Error {
  override readonly name = 'NewerDataError';
}

/** Marks all steps as done in an unused database. */
export async function beginFresh({
  db,
  steps,
  version,
  clock,
}: Pick<Round, 'db' | 'steps' | 'version' | 'clock'>): Promise<void> {
  for (const { number } of steps) await finish(db, number, { position: null, changed: 0 }, clock.now());
  await raiseFence(db, steps, version);
}

/** Numbers of completed steps. */
export async function doneSteps(db: Db): Promise<ReadonlySet<number>> {
  const done = await recordsOf(db).find({ state: 'done' }).toArray();
  return new Set(done.map(({ _id }) => Number(_id)));
}

/** Runs pending steps, in one process at a time; continues where a dead process stopped. */
export async function migrate(round: Round): Promise<Outcome> {
  const { db, steps, kinds, again = false } = round;
  const lock = new LeaderLock(db, 'migrations', round.holder, round.clock);
  if (pendingOf(steps, again ? new Set() : await doneSteps(db), kinds).length === 0) return 'done';
  if (!(await lock.acquire())) return 'elsewhere';
  try {
    // Checked again, as another process may have completed it meanwhile.
    const done = again ? new Set<number>() : await doneSteps(db);
    for (const step of pendingOf(steps, done, kinds)) await applyStep(step, round, lock);
    return 'done';
  } catch (fault) {
    if (fault instanceof Interrupted) return 'stopped';
    throw fault;
  } finally {
    await lock.release();
  }
}

async function applyStep(
  step: Migration,
  { db, clock, log, signal, version, again = false }: Round,
  lock: LeaderLock,
): Promise<void> {
  const records = recordsOf(db);
  const _id = String(step.number);
  const known = await records.findOne({ _id });
  let at: Footprint = {
    position: known?.state === 'running' && !again ? known.position : null,
    changed: again ? 0 : (known?.changed ?? 0),
  };
  log(`step ${_id} (${step.name}) ${at.position === null ? 'begins' : 'continues'}`);
  // This process holds the step's lock, and the fence is set before the first change.
  if (step.fences === true) await raiseFence(db, [step], version);
  const save = async (reached: Footprint): Promise<void> => {
    at = reached;
    // Checked first: a process that stalled must not overwrite the progress of another.
    if (!(await lock.acquire())) throw new Interrupted();
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

/** Raises the fence, which keeps out programs without the last fencing step. It is never lowered. */
async function raiseFence(db: Db, steps: readonly Migration[], version: string): Promise<void> {
  const numbers = steps.filter(({ fences }) => fences === true).map(({ number }) => number);
  if (numbers.length === 0) return;
  const needs = Math.max(...numbers);
  const fences = fencesOf(db);
  await fences.updateOne({ _id: 'fence' }, { $setOnInsert: { needs, version } }, { upsert: true });
  await fences.updateOne({ _id: 'fence', needs: { $lt: needs } }, { $set: { needs, version } });
}
