/**
 * One run in memory on this host. Owns: its state, its journal, its attempts in flight. Does not own: the rules, the
 * claim loop, the delivery of the end.
 *
 *  A1  One event at a time: `decide` never runs while another decision of the same run is being carried out.
 *  A2  No consequence of an entry is visible outside before the entry is durable: barriers stand before every effect,
 *      before the end is written, and before the run is released.
 *  A3  When the claim is lost, or the host is fenced, the actor writes nothing more and starts nothing more.
 *  A4  An actor exits once, with a reason: ended, released, lost, broken or stopped.
 *  A5  What waits longer than MAX_RESIDENT_WAIT_MS, or for a message, leaves memory.
 *  A6  A message that is stored before an actor is known to its host is read by it; one that is stored afterwards is
 *      delivered to it, or found by the next reconciliation, or prevents the release.
 *  A7  The last record, the end and, where nothing was stored before, the run itself are one write.
 */
import { sizeOfJson } from '../../lib/json/prepared';
import { outputExecutionId } from '../core/decide/children';
import { decide } from '../core/decide/decide';
import type { Command, RecoveryPolicy } from '../core/decide/decision-builder';
import type { RunEvent } from '../core/decide/event';
import type { RunError } from '../core/entries/entry';
import type { Execution } from '../core/model';
import type { SecretRedactor } from '../core/secrets/secret-redactor';
import { apply } from '../core/state/fold';
import type { RunContext } from '../core/state/run-context';
import { emptyState, type Message, type RunState } from '../core/state/state';
import { isBusy } from '../core/walk/evaluate';
import { cancelRun, type MidAttemptEntry } from './attempt';
import { AttemptRunner } from './attempt-runner';
import { DeferredInsert } from './deferred-insert';
import { type ActorDeps, DependencyUnavailable, type ExitReason, RuleFault } from './deps';
import { evaluateElsewhere, prepareElsewhere } from './evaluations';
import { reportHeldThread } from './held-thread';
import { ClaimLost, type JournalWriter, openJournal } from './journal';
import { firstEvents, loadHistory, receivedEvent, recoveryPolicyOf, reuseEvents } from './load-history';
import { MessageReader } from './message-reader';
import { type LeavingRun, RunExit } from './run-exit';
import { type RunTime, runTimeOf } from './run-time';
import { ShownWaits } from './shown-waits';

/** Pause before a failed exit is retried. */
const LEAVE_RETRY_MS = 200;

/** What an actor is doing. Events are decided upon only after `loading`: before that the state is not known. */
type Phase =
  | { readonly kind: 'loading' }
  /** Waits for events; `cancelTimer` is set while the next one is a time. */
  | { readonly kind: 'idle'; readonly cancelTimer: (() => void) | null }
  | { readonly kind: 'deciding' }
  /** The end or a release is being written. */
  | { readonly kind: 'leaving' }
  | { readonly kind: 'exited' };

export class Actor {
  readonly done: Promise<ExitReason>;
  #phase: Phase = { kind: 'loading' };
  /** Draining: no attempt begins, and the run is released as soon as none is in flight. */
  #mode: 'active' | 'draining' = 'active';
  /** Cancels the event that continues a partial decision. */
  #cancelContinuation: (() => void) | null = null;
  #state: RunState = emptyState();
  #events: RunEvent[] = [];
  #journal!: JournalWriter;
  #insert!: DeferredInsert;
  #recoveryPolicy: RecoveryPolicy = () => 'fail';
  readonly #messages: MessageReader;
  readonly #attempts: AttemptRunner;
  readonly #redactor: SecretRedactor;
  readonly #exit = new RunExit();
  readonly #time: RunTime;
  readonly #shownWaits: ShownWaits;
  readonly #triggerSize: number;
  #size = 0;
  #finish!: (reason: ExitReason) => void;

  constructor(
    readonly deps: ActorDeps,
    readonly execution: Execution,
    readonly context: RunContext,
  ) {
    this.#messages = new MessageReader(deps.store, execution.id, execution.messageSeq);
    this.#redactor = deps.redactor(execution.id);
    this.#triggerSize = sizeOfJson(execution.trigger);
    // The size before the release, until the history is known: other runs are loaded meanwhile.
    this.#updateSize(Math.max(this.#triggerSize, execution.size));
    this.#time = runTimeOf(deps.clock, context, () => this.#state);
    this.#attempts = new AttemptRunner({
      deps,
      now: () => this.#time.now(),
      execution,
      context,
      redactor: this.#redactor,
      state: () => this.#state,
      record: (entry) => this.#record(entry),
      stored: () => this.#insert.store(),
      onFinished: (event) => this.#send(event),
      onHeld: (path) => this.#send({ kind: 'held', path }),
      onFault: (fault) => this.#fault(fault),
      onBroken: (fault) => this.#break(this.#ruleFault(fault)),
    });
    this.#shownWaits = new ShownWaits(deps, execution, {
      state: () => this.#state,
      durable: () => this.#journal.barrier().then(() => this.#insert.store()),
      onFault: (fault) => this.#fault(fault),
    });
    this.done = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  /** Begins a run that has no history yet, and perhaps no document: `insert` stores it when that is needed. */
  begin(insert: DeferredInsert): void {
    this.#openJournal(insert, 0, 0);
    this.#activate();
  }

  /** As `begin`, after reusing the outputs of an earlier run. */
  async beginReused(insert: DeferredInsert): Promise<void> {
    try {
      this.#openJournal(insert, 0, 0);
      await this.#reuse(0);
      this.#activate();
    } catch (fault) {
      this.#break(fault);
    }
  }

  /**
   * Continues where the journal ends; with a refusal, ends there if nothing has begun. A fault of the store ends this
   * activation; the host that claims the run next tries again.
   */
  async resume(refusal: RunError | null = null): Promise<void> {
    try {
      // All messages: one may have come between the claim and now, when there was no actor to deliver it to.
      const history = await loadHistory(this.deps, this.execution, (work) => this.#measured(work));
      this.#state = history.state;
      this.#openJournal(DeferredInsert.alreadyStored(), history.n, history.entries);
      if (this.#state.ended !== null) return this.#leaveSafely();
      this.#recoveryPolicy = await recoveryPolicyOf(this.context.plan, this.#state, (type) =>
        this.deps.node(type, this.execution.tenantId),
      );
      if (refusal !== null) this.#events.push({ kind: 'refused', error: refusal });
      else if (this.#state.onlyReused && this.execution.resumeFrom !== null) await this.#reuse(history.entries);
      const stored = await this.#messages.complete(history.messages, this.#state.consumedMessageIds);
      this.#events = firstEvents(this.#events, stored, this.execution.pause);
      this.#activate();
    } catch (fault) {
      this.#break(fault);
    }
  }

  /** Accepts a message that is stored already. False after the exit: the next owner must be notified. */
  deliver(message: Message): boolean {
    this.#messages.see(message);
    if (outputExecutionId(message) === null) this.#send({ kind: 'messages', messages: [message] });
    else this.checkMessages(Number.POSITIVE_INFINITY);
    return this.#phase.kind !== 'exited';
  }

  /** Reads messages if the database counts more than were seen: the hint of a sender may have been lost. */
  checkMessages(messageSeq: number): void {
    if (this.#phase.kind === 'exited') return;
    this.#messages.catchUp(
      messageSeq,
      this.#state.consumedMessageIds,
      (received) => this.#send(receivedEvent(received)),
      (fault) => this.#fault(fault),
    );
  }

  /** This activation has recorded more than intents. */
  get progressed(): boolean {
    return this.#phase.kind !== 'loading' && this.#journal.progressed;
  }

  get draining(): boolean {
    return this.#mode === 'draining';
  }

  /** What the run holds in memory, in characters. */
  get size(): number {
    return this.#size;
  }

  /** Nothing is in flight or to be done: it waits for its timer. */
  get idle(): boolean {
    return this.#phase.kind === 'idle' && this.#phase.cancelTimer !== null && this.#attempts.size === 0;
  }

  /** Begins nothing more, and releases the run as soon as nothing is in flight. */
  drain(): void {
    this.#mode = 'draining';
    this.#send({ kind: 'due' });
  }

  /** Exits at once and writes nothing: attempts are aborted, the claim is left to expire. */
  stop(): void {
    this.#end({ kind: 'stopped' });
  }

  #activate(): void {
    if (this.#phase.kind !== 'loading') return;
    this.#phase = { kind: 'idle', cancelTimer: null };
    this.#send({ kind: 'resume' });
  }

  /** Queues the reusable entries of an earlier run, after the first `known`; in parts that fit into records. */
  async #reuse(known: number): Promise<void> {
    const from = this.execution.resumeFrom?.executionId ?? '';
    const entries = (await this.deps.reusedEntries(this.execution)).slice(known);
    this.#events.unshift(...reuseEvents(from, entries));
  }

  #openJournal(insert: DeferredInsert, n: number, before: number): void {
    this.#insert = insert;
    this.#journal = openJournal(this.deps, this.execution, insert, { n, before }, (fault) => this.#fault(fault));
  }

  #send(event: RunEvent): void {
    if (this.#phase.kind === 'exited') return;
    this.#events.push(event);
    if (this.#phase.kind === 'idle') this.#decideAll();
  }

  /** Decides upon all queued events, then settles. Never throws. */
  #decideAll(): void {
    if (this.#phase.kind === 'idle') this.#phase.cancelTimer?.();
    this.#phase = { kind: 'deciding' };
    try {
      while (this.#events.length > 0 && !this.#hasExited()) {
        const pause = this.deps.turns.pause(this.execution.tenantId);
        // Still deciding: events that come during the pause are queued.
        if (pause !== null) return void pause.then(() => this.#hasExited() || this.#decideAll());
        this.#measured(() => this.#decide(this.#events.shift() as RunEvent));
      }
      if (this.#hasExited()) return;
      this.#updateSize(this.#triggerSize + this.#state.size);
      this.#settle();
    } catch (fault) {
      // Half of a decision may be in the state: nothing can be built on it.
      this.#break(this.#ruleFault(fault));
    }
  }

  #decide(event: RunEvent): void {
    const { context, deps } = this;
    const rules = { context, recoveryPolicy: this.#recoveryPolicy };
    const { entries, commands } = decide(rules, this.#state, event, { now: this.#time.now(), random: deps.random });
    this.#journal.add(entries);
    for (const command of commands) this.#execute(command);
  }

  #execute(command: Command): void {
    switch (command.kind) {
      case 'run':
        // A draining actor begins nothing: the next owner decides the same again.
        if (this.#mode === 'active') this.#attempts.begin(command.path, command.attempt);
        return;
      case 'abort':
        return this.#attempts.abort(command.path);
      case 'cancel_child':
        return this.#cancelChild(command.child);
      case 'evaluate':
        return evaluateElsewhere(this.deps, this.execution, this.#state, command, () => this.#send({ kind: 'due' }));
      case 'prepare':
        return prepareElsewhere(this.execution, this.#state, command, () => this.#send({ kind: 'due' }));
      case 'go_on':
        this.#cancelContinuation = this.deps.clock.after(0, () => {
          this.#cancelContinuation = null;
          this.#send({ kind: 'due' });
        });
    }
  }

  #record(entry: MidAttemptEntry): Promise<void> {
    apply(this.#state, entry);
    this.#journal.add([entry]);
    return this.#journal.barrier();
  }

  /** Cancels a child at once; if that fails, or this host stops before, the end of this run cancels it. */
  #cancelChild(child: string): void {
    if (this.#state.ended !== null) return;
    const cancelled = this.#journal.barrier().then(() => cancelRun(this, child));
    cancelled.catch((fault: unknown) => this.#fault(fault));
  }

  /** Nothing is left to decide: the run has ended, or something is in flight, or it waits. */
  #settle(): void {
    const due = this.#time.due(this.#state);
    if (this.#state.ended !== null || !this.#stays(due)) return this.#leaveSafely();
    this.#phase = { kind: 'idle', cancelTimer: due === null ? null : this.#wakeAt(due) };
    this.#shownWaits.check();
  }

  #stays(due: number | null): boolean {
    if (this.#mode === 'draining') return this.#attempts.size > 0;
    return this.#hasWork() || this.#time.staysFor(due, this.#state);
  }

  #hasWork(): boolean {
    return this.#cancelContinuation !== null || isBusy(this.#state);
  }

  #wakeAt(due: number): () => void {
    return this.#time.wakeAt(due, this.#hasWork(), (lateMs) => {
      this.deps.meters.timerFired(lateMs);
      this.#send({ kind: 'due' });
    });
  }

  #leaveSafely(): void {
    this.#leave().catch((fault: unknown) => this.#break(fault));
  }

  /** Writes what must be written, then leaves memory, unless a message has come in between. */
  async #leave(): Promise<void> {
    this.#phase = { kind: 'leaving' };
    try {
      const { ended } = this.#state;
      const run = this.#leavingRun();
      const left =
        ended === null
          ? await this.#exit.release(run, { isDue: () => this.#hasWork(), size: () => this.#size })
          : await this.#exit.end(run, ended);
      if (left.kind === 'exit') this.#end(this.#withWakeUp(left.reason));
      else if (left.received !== null) this.#events.push(receivedEvent(left.received));
    } catch (fault) {
      this.#fault(fault);
      if (!this.#hasExited()) await new Promise<void>((resolve) => this.deps.clock.after(LEAVE_RETRY_MS, resolve));
    }
    if (!this.#hasExited()) this.#decideAll();
  }

  /** A message that was delivered during the release is in the database too, where it has set the wake-up to now. */
  #withWakeUp(reason: ExitReason): ExitReason {
    const isDue = reason.kind === 'released' && this.#events.length > 0;
    return isDue ? { ...reason, wakeAt: this.deps.clock.now() } : reason;
  }

  #leavingRun(): LeavingRun {
    return {
      deps: this.deps,
      execution: this.execution,
      context: this.context,
      state: this.#state,
      redactor: this.#redactor,
      journal: this.#journal,
      insert: this.#insert,
      messages: this.#messages,
      attempts: this.#attempts,
      time: this.#time,
      isActive: () => !this.#hasExited(),
      hasEvents: () => this.#events.length > 0,
      onFault: (fault) => this.#fault(fault),
    };
  }

  #measured<T>(work: () => T): T {
    const { deps, execution } = this;
    return deps.turns.measured(execution.tenantId, work, (tookMs) =>
      reportHeldThread(deps, execution, undefined, tookMs),
    );
  }

  #fault(fault: unknown): void {
    if (fault instanceof ClaimLost) this.#end({ kind: 'lost' });
    else if (fault instanceof DependencyUnavailable) this.#end({ kind: 'yielded', fault });
    else this.deps.log(this.execution, 'warn', `store: ${fault instanceof Error ? fault.message : String(fault)}`);
  }

  #ruleFault(fault: unknown): unknown {
    return fault instanceof ClaimLost ? fault : new RuleFault(this.execution.id, fault);
  }

  #break(fault: unknown): void {
    this.#end(fault instanceof ClaimLost ? { kind: 'lost' } : { kind: 'broken', fault });
  }

  #hasExited(): boolean {
    return this.#phase.kind === 'exited';
  }

  #end(reason: ExitReason): void {
    if (this.#hasExited()) return;
    if (this.#phase.kind === 'idle') this.#phase.cancelTimer?.();
    this.#phase = { kind: 'exited' };
    this.#cancelContinuation?.();
    this.#shownWaits.stop();
    this.#journal?.abandon();
    this.#attempts.abortAll();
    this.#updateSize(0);
    this.#finish(reason);
    if (reason.kind === 'released') this.deps.states.keep(this.execution.id, this.#state, this.#journal);
  }

  #updateSize(size: number): void {
    this.deps.onSizeChange(size - this.#size);
    this.#size = size;
  }
}
