/** Ends or releases a run that leaves memory. Owns: the order of these writes. Does not own: when the run may leave. */
import type { Clock } from '../../lib/clock';
import { cleanupDeadline } from '../core/decide/due';
import { endingOf } from '../core/decide/ending';
import { waitingOf } from '../core/decide/waiting';
import type { JournalRecord } from '../core/entries/entry';
import { claimOf, type Ending, endedExecution, type Execution, NEVER_MS } from '../core/model';
import type { SecretRedactor } from '../core/secrets/secret-redactor';
import type { RunContext } from '../core/state/run-context';
import type { RunState } from '../core/state/state';
import type { Received, Release, RunStore } from '../ports/run-store';
import type { AttemptRunner } from './attempt-runner';
import type { DeferredInsert } from './deferred-insert';
import type { ActorDeps, ExitReason } from './deps';
import { ClaimLost, type JournalWriter } from './journal';
import type { MessageReader } from './message-reader';
import type { RunTime } from './run-time';

/** Pauses before a failing store is tried again. */
const MIN_PAUSE_MS = 20;
const MAX_PAUSE_MS = 1_000;

/** A run that may leave memory. */
export interface LeavingRun {
  readonly deps: ActorDeps;
  readonly execution: Execution;
  readonly context: RunContext;
  readonly state: RunState;
  readonly redactor: SecretRedactor;
  readonly journal: JournalWriter;
  readonly insert: DeferredInsert;
  readonly messages: MessageReader;
  readonly attempts: AttemptRunner;
  readonly time: RunTime;
  /** False once the run has left memory. */
  readonly isActive: () => boolean;
  readonly hasEvents: () => boolean;
  readonly onFault: (fault: unknown) => void;
}

/** The run has left, or must continue: with new messages, or with queued events. */
type LeaveResult = { kind: 'exit'; reason: ExitReason } | { kind: 'stays'; received: Received | null };

const exit = (reason: ExitReason): LeaveResult => ({ kind: 'exit', reason });

export class RunExit {
  /** The last record, once it has been taken from the journal writer. */
  #tail: { record: JournalRecord | null } | null = null;
  /** When the run ended for others, if its own time is simulated. */
  #endedAt: number | null = null;

  /** Writes the end, with the last record in the same write (A7). */
  async end(run: LeavingRun, ended: NonNullable<RunState['ended']>): Promise<LeaveResult> {
    const { deps, execution, context, state, redactor, journal, attempts } = run;
    if (ended.status === 'completed') await attempts.registerSecrets(() => journal.barrier());
    this.#tail ??= { record: await journal.takeTail() };
    const tail = this.#tail.record;
    const hasSubscribers = await deps.hasSubscribers(execution, ended.status);
    if (context.simulatesTime === true) this.#endedAt ??= deps.clock.now();
    const end = this.#endedAt === null ? ended : { ...ended, at: this.#endedAt };
    const ending = await endingOf(execution, context, state, end, redactor, hasSubscribers);
    const written = await retryWhileOwner(run, () => storeEnd(run, ending, tail));
    if (written === null) return exit({ kind: 'stopped' });
    if (written) deps.onDurable(execution, journal.position);
    return exit(written ? { kind: 'ended', ending } : { kind: 'lost' });
  }

  /** Releases a waiting run. `isDue`: something was about to begin here and has not. */
  async release(run: LeavingRun, { isDue, size }: { isDue: () => boolean; size: () => number }): Promise<LeaveResult> {
    const { deps, execution, state, journal, insert, messages } = run;
    await journal.barrier();
    await insert.store();
    await messages.mark(state.consumedMessageIds);
    if (run.hasEvents()) return { kind: 'stays', received: null };
    const now = deps.clock.now();
    const to = releaseOf(run, { isDue: isDue(), now, messageSeq: messages.messageSeq, size: size() });
    // Retried until it is answered: without an answer the owner of the run is unknown, and nothing may be decided.
    const released = await retryWhileOwner(run, () => deps.store.release(claimOf(execution), to));
    if (released === null) return exit({ kind: 'stopped' });
    if (released === 'lost') return exit({ kind: 'lost' });
    if (released === 'new_message') return { kind: 'stays', received: await messages.read(state.consumedMessageIds) };
    if (to.waiting.length > 0) deps.onWaits(execution, to.waiting);
    return exit({ kind: 'released', wakeAt: to.wakeAt });
  }
}

function releaseOf(
  { context, state, time }: Pick<LeavingRun, 'context' | 'state' | 'time'>,
  { isDue, now, ...seen }: Pick<Release, 'messageSeq' | 'size'> & { readonly isDue: boolean; readonly now: number },
): Release {
  const deadline = cleanupDeadline(state);
  const due = time.due(state);
  // A simulated time says nothing to hosts: the next owner continues the run at once.
  const wakeAt = isDue || (due !== null && context.simulatesTime === true) ? now : (due ?? NEVER_MS);
  return { ...seen, wakeAt, waiting: waitingOf(state), ...(deadline === null ? {} : { cleanupDeadline: deadline }) };
}

/** Stores the end; with the run itself where nothing was stored before. False when the claim is lost. */
async function storeEnd(
  { deps: { store }, insert, execution }: LeavingRun,
  ending: Ending,
  tail: JournalRecord | null,
): Promise<boolean> {
  if (!insert.leaveToEnd()) {
    await insert.store();
    return store.end(claimOf(execution), ending, tail);
  }
  try {
    return await insertEnded(store, endedExecution(execution, ending), tail);
  } catch (fault) {
    insert.endFailed(fault);
    throw fault;
  }
}

async function insertEnded(store: RunStore, ended: Execution, tail: JournalRecord | null): Promise<boolean> {
  if ((await store.insert(ended, tail)) === 'inserted') return true;
  // An earlier attempt whose answer was lost may have stored it. The id is fresh, so no other caller can have used it.
  const stored = await store.load(ended.id);
  return stored?.status === ended.status && stored.endedAt === ended.endedAt && stored.startedAt === ended.startedAt;
}

/** Repeats a request until it is answered; null when this host may not write any more. @throws ClaimLost */
async function retryWhileOwner<T>(
  {
    deps: { clock, mayWrite },
    isActive,
    onFault,
  }: Pick<LeavingRun, 'isActive' | 'onFault'> & {
    readonly deps: { readonly clock: Clock; mayWrite(): boolean };
  },
  request: () => Promise<T>,
): Promise<T | null> {
  for (let pauseMs = MIN_PAUSE_MS; isActive() && mayWrite(); pauseMs = Math.min(pauseMs * 3, MAX_PAUSE_MS)) {
    try {
      return await request();
    } catch (fault) {
      if (fault instanceof ClaimLost) throw fault;
      onFault(fault);
      await new Promise<void>((resolve) => clock.after(pauseMs, resolve));
    }
  }
  return null;
}
