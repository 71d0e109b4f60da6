/** Invariants of a run after its end, whatever faults occurred. */
import { addressOf } from '../../dsl';
import type { Entry, StepEntry } from '../../runtime/core/entries/entry';
import type { JsonObject } from '../../lib/json';
import { CANCEL } from '../../runtime/core/decide/waits';
import type { Execution } from '../../runtime/core/model';
import type { SimDatabase } from '../support/runtime/sim-store';
import { flowOf } from './flows';
import { historyOf, type Recorded } from './history';
import { eventsOf } from '../../runtime/core/decide/gathering';
import { judgeGatherings } from './gatherings';
import { judgePauses } from './pauses';
import type { Watch } from './watch';

/** Checks everything that is stored. */
export function judgeAll(db: SimDatabase, watch: Watch): void {
  for (const run of watch.accepted) {
    if (!db.executions.has(run)) watch.report('nothing lost', `${run} was accepted, and is gone`);
  }
  judgeRecords(db, watch);
  judgeGatherings(db, watch);
  for (const execution of db.executions.values()) {
    const history = historyOf(db, execution.id);
    judgeJournal(db, execution, history, watch);
    judgeMessages(db, execution, history, watch);
    judgeChildren(db, execution, history, watch);
    judgePauses(execution, history, watch);
    if (execution.status !== 'running') judgeEnd(execution, history, watch);
  }
}

/** A record of the history stays in it, except for a late writer's record after the end that a newer owner had decided. */
function judgeRecords(db: SimDatabase, watch: Watch): void {
  for (const { executionId, n, epoch, json } of watch.records) {
    const journal = db.journals.get(executionId) ?? [];
    if (journal.some((other) => other.n === n && other.epoch === epoch && other.json === json)) continue;
    const last = Math.max(0, ...journal.map((other) => other.epoch));
    if (last <= epoch) watch.report('linear journal', `${executionId}: record ${n} of epoch ${epoch} is gone`);
  }
}

function judgeJournal(db: SimDatabase, { id, status }: Execution, history: readonly Recorded[], watch: Watch): void {
  const broken = (what: string): void => watch.report('linear journal', `${id}: ${what}`);
  const records = (db.journals.get(id) ?? []).map(({ n }) => n).sort((a, b) => a - b);
  if (records.some((n, index) => n !== index + 1)) broken(`its records are ${records.join()}`);
  const ends = history.filter(({ entry }) => entry.kind === 'run.ended').length;
  if (status !== 'running' && (ends !== 1 || history.at(-1)?.entry.kind !== 'run.ended'))
    broken(`it has ended, with ${ends} ends in its history of ${history.length} entries`);
  if (history.filter(({ entry }) => entry.kind === 'run.closing').length > 1) broken('it was closing twice');
  if (status === 'running' && ends > 0) broken('it is running, with an end in its history');
  const steps = new Map<string, Recorded>();
  let epoch = 0;
  for (const recorded of history) {
    const { entry } = recorded;
    if (recorded.epoch < epoch) broken(`a record of epoch ${recorded.epoch} stands behind one of ${epoch}`);
    epoch = recorded.epoch;
    if (!moves(entry)) continue;
    const before = steps.get(entry.path)?.entry;
    if (before !== undefined && !mayFollow(before, entry)) broken(`${entry.path}: ${entry.kind} after ${before.kind}`);
    steps.set(entry.path, recorded);
  }
}

/** Checkpoints and iterations of loops do not change the status of a step. */
const moves = (entry: Entry): entry is StepEntry => 'path' in entry && !BESIDE.has(entry.kind);
const BESIDE = new Set(['step.noted', 'loop.turn', 'loop.item']);

const SETTLED = new Set(['step.completed', 'step.skipped', 'step.cancelled', 'run.ended']);

/** Whether an entry of a step may follow another one. */
function mayFollow(before: Recorded['entry'], after: Recorded['entry']): boolean {
  if (SETTLED.has(before.kind) || (before.kind === 'step.failed' && before.retryAt === null)) return false;
  const attempt = 'attempt' in before ? before.attempt : 0;
  if (after.kind === 'step.started') {
    // An attempt that waits for its connection has not begun.
    if (before.kind === 'step.waiting') return before.wait.kind === 'connection' && after.attempt === attempt;
    return after.attempt > attempt;
  }
  return !('attempt' in after) || after.attempt >= attempt;
}

/** Child runs: the result of the step is the outcome of the child run. */
function judgeChildren(db: SimDatabase, { id }: Execution, history: readonly Recorded[], watch: Watch): void {
  for (const { entry } of history) {
    if (entry.kind !== 'step.completed' || typeof entry.output.execution_id !== 'string') continue;
    const child = db.executions.get(entry.output.execution_id);
    if (child === undefined)
      watch.report('nothing lost', `${id}: ${entry.output.execution_id} was started, and is gone`);
    else if (entry.mail !== undefined && JSON.stringify(child.output) !== JSON.stringify(entry.output.output))
      watch.report('same output', `${id}: ${entry.path} has another output than ${child.id}`);
  }
}

function judgeMessages(db: SimDatabase, { id }: Execution, history: readonly Recorded[], watch: Watch): void {
  const stored = new Map((db.mail.get(id) ?? []).map((mail) => [mail.id, mail]));
  const taken = new Set<string>();
  for (const { entry } of history) {
    if (!('mail' in entry) || entry.mail === undefined) continue;
    const mail = stored.get(entry.mail);
    if (taken.has(entry.mail)) watch.report('messages taken', `${id}: ${entry.mail} was taken twice`);
    if (mail === undefined) watch.report('messages taken', `${id}: ${entry.mail} was taken, and is not stored`);
    taken.add(entry.mail);
    if (entry.kind !== 'step.completed' || mail === undefined) continue;
    if ('status' in mail.data) continue;
    const same =
      'approved' in mail.data ? entry.output.approved === mail.data.approved : entry.output.v === mail.data.v;
    if (!same) watch.report('decisions kept', `${id}: ${entry.path} recorded another answer than ${entry.mail} gave`);
  }
  for (const { entry, epoch } of history) {
    const late = entry.kind === 'step.completed' || entry.kind === 'step.failed';
    if (!late || entry.mail !== undefined) continue;
    const name = waitNameOf(history, entry.path);
    const missed = watch.acknowledged.find(
      ({ run, mail }) => run === id && mail.name === name && !taken.has(mail.id) && watch.foreseen(id, mail.id, epoch),
    );
    if (missed !== undefined)
      watch.report('messages taken', `${id}: ${entry.path} timed out, though ${missed.mail.id} was there`);
  }
}

/** The message that ended the wait of the step; null when it did not wait. */
function waitNameOf(history: readonly Recorded[], path: string): string | null {
  const own = history.filter(({ entry }) => 'path' in entry && entry.path === path).map(({ entry }) => entry);
  const wait = own.at(-2);
  if (wait?.kind !== 'step.waiting' || wait.rerun === true) return null;
  if (wait.wait.kind === 'signal') return wait.wait.signal;
  return wait.wait.kind === 'approval' ? `approve-${addressOf(path)}` : null;
}

function judgeEnd(execution: Execution, history: readonly Recorded[], watch: Watch): void {
  const { id, status, error, planHash, trigger } = execution;
  const wrong = (what: string): void => watch.report('same output', `${id}: ${what}`);
  const end = history.at(-1);
  if (end?.entry.kind !== 'run.ended') return;
  if (end.entry.status !== status) wrong(`its document says ${status}, its history ${end.entry.status}`);
  // The end of a run with a cleanup is decided before the cleanup: later messages do not change it.
  const decided = history.find(({ entry }) => entry.kind === 'run.closing') ?? end;
  if (decided.entry.kind === 'run.closing' && decided.entry.status !== status)
    wrong(`it was closing as ${decided.entry.status}, and ended as ${status}`);
  const flow = flowOf(planHash);
  const cancel = watch.acknowledged.find(({ run, mail }) => run === id && mail.name === CANCEL);
  if (cancel !== undefined && status !== 'cancelled' && watch.foreseen(id, CANCEL, decided.epoch))
    watch.report('cancelled when requested', `${id} was claimed after its cancellation, and was to end as ${status}`);
  if (status !== 'completed') judgeUndoing(id, history, watch);
  switch (status) {
    case 'cancelled':
      if (error?.code === 'concurrency_conflict' && execution.concurrency?.onConflict === 'skip') return;
      if (!watch.stored.has(`${id} ${CANCEL}`)) wrong('it was cancelled without a request');
      return;
    case 'failed': {
      const interrupted = error?.code === 'interrupted' && wasInterrupted(history);
      // Two interruptions, and a start whose sender died, look like those of a run that ends its processes.
      const poisoned = error?.code === 'poisoned' && watch.interruptionsOf(id) >= 2;
      const childCancelled = error?.code === 'child_cancelled' && flow.children.length > 0;
      if (error?.code !== flow.fails && !interrupted && !poisoned && !childCancelled)
        wrong(`a run of "${flow.name}" failed with ${error?.code}`);
      if (error?.code === 'timed_out' && decided.entry.at < (execution.deadlineAt ?? 0))
        wrong('it timed out too early');
      return;
    }
    default: {
      const taken = (address: string): JsonObject => {
        const done = history.flatMap(({ entry }) => (entry.kind === 'step.completed' ? [entry] : []));
        return done.findLast(({ path }) => addressOf(path) === address)?.output ?? {};
      };
      const expected = JSON.stringify(flow.output(numberOf(trigger), taken));
      const got = JSON.stringify(execution.output);
      if ((flow.fails !== null && !flow.mayFail) || got !== expected)
        wrong(`a run of "${flow.name}" put out ${got}, not ${expected}`);
    }
  }
}

/** The number of the start, or of the first one of a batch. */
const numberOf = (trigger: JsonObject): number => (trigger.n ?? eventsOf(trigger)[0]?.n) as number;

/** All completed steps with a compensation were compensated, the last first. In the simulation, compensations do not fail. */
function judgeUndoing(id: string, history: readonly Recorded[], watch: Watch): void {
  const done = history.flatMap(({ entry }) => (entry.kind === 'step.completed' ? [entry] : []));
  const wanted = done.filter(({ undo }) => undo === true).map(({ path }) => path);
  const undone = done.flatMap(({ path }) =>
    path.split('/compensate/')[1] === undefined ? [] : [path.split('/compensate/')[0]],
  );
  if (undone.join() !== wanted.toReversed().join())
    watch.report('all undone', `${id}: of ${wanted.join()} was undone ${undone.join()}`);
}

/** Whether a step failed, or asked a user, because it was started under another claim. */
function wasInterrupted(history: readonly Recorded[]): boolean {
  return history.some(({ entry, epoch }, index) => {
    const broken =
      (entry.kind === 'step.failed' && entry.error.code === 'interrupted') ||
      (entry.kind === 'step.waiting' && entry.rerun === true);
    if (!broken) return false;
    const begun = history
      .slice(0, index)
      .findLast(
        (other) => 'path' in other.entry && other.entry.path === entry.path && other.entry.kind === 'step.started',
      );
    return begun !== undefined && begun.epoch < epoch;
  });
}
