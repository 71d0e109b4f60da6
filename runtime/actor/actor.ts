/**
 * One run, alive on this host. Owns: its state, its journal, its attempts in flight. Does not own: the rules, the
 * claim loop, who is told of the end.
 *
 *  A1  One event at a time: `decide` never runs while another decision of the same run is being carried out.
 *  A2  Nobody outside sees a consequence of an entry that is not durable: barriers stand before every effect, before
 *      the end is written, and before the run is given up.
 *  A3  When the claim is lost, or the host is fenced, the actor writes nothing more and starts nothing more.
 *  A4  An actor ends once, with a verdict: ended, released, lost, broken or stopped.
 *  A5  What waits longer than LINGER_MS, or for a message, leaves memory.
 *  A6  A message that is stored before an actor is known to its host is read by it; one that is stored afterwards is
 *      handed to it, or noticed at the next audit, or keeps it from giving the run up.
 *  A7  The last record, the end and, where nothing was stored before, the run itself are one write.
 */
import { jsonSize } from '../../lib/json';
import { decodeEntries } from '../record/codec';
import type { JournalRecord, RunError } from '../record/entry';
import { apply, replay } from '../record/fold';
import { emptyState, type Mail, type RunState } from '../record/state';
import { decide } from '../rules/decide';
import { closesBy, lingers, nextDue } from '../rules/due';
import type { RunEvent } from '../rules/event';
import type { Command, Interruption } from '../rules/turn';
import { cancellation } from '../rules/waits';
import { outputLiesIn, unwanted } from '../rules/children';
import { endingOf } from '../rules/ending';
import type { Circumstances, RunFacts } from '../rules/scope';
import type { Veil } from '../rules/veil';
import { waitingOf } from '../rules/waiting';
import { type Claim, type Ending, type Execution, NEVER_MS } from '../store/port';
import { alarm } from './alarm';
import { Attempts, type Recorded } from './attempts';
import { type ActorDeps, StepAside, type Verdict } from './deps';
import { Gate } from './gate';
import { ClaimLost, JournalWriter } from './journal';
import { insist } from './insist';
import { interruptionsOf } from './interruptions';
import { Mailbox } from './mailbox';
import { storeEnd } from './store-end';

/** Entries of an earlier run in one decision, which is one record. */
const INHERITED_AT_ONCE = 200;
/** Pause before a rest is tried again when the store fails. */
const REST_RETRY_MS = 200;

export class Actor {
  readonly done: Promise<Verdict>;
  #state: RunState = emptyState();
  #journal!: JournalWriter;
  #gate!: Gate;
  /** The last record, once it has been taken from the journal's writer. */
  #tail: { record: JournalRecord | null } | null = null;
  readonly #mailbox: Mailbox;
  #events: RunEvent[] = [];
  #deciding = false;
  #resting = false;
  #over = false;
  /** False until the history is known: a message that comes earlier must not be decided upon an empty state. */
  #loaded = false;
  #draining = false;
  #timer: (() => void) | null = null;
  /** A decision was cut short, and goes on when others have had their turn. */
  #goesOn = false;
  #interruption: Interruption = () => 'fail';
  readonly #attempts: Attempts;
  readonly #veil: Veil;
  readonly #triggerSize: number;
  #weight = 0;
  #finish!: (verdict: Verdict) => void;

  constructor(
    private readonly deps: ActorDeps,
    readonly execution: Execution,
    readonly facts: RunFacts,
  ) {
    this.#mailbox = new Mailbox(deps.store, execution.id, execution.inbox);
    this.#veil = deps.veil(execution.id);
    this.#triggerSize = jsonSize(execution.trigger);
    this.#weigh(this.#triggerSize);
    this.#attempts = new Attempts({
      deps,
      execution,
      facts,
      veil: this.#veil,
      state: () => this.#state,
      record: (intent) => this.#record(intent),
      onSettled: (event) => this.#tell(event),
      onFault: (fault) => this.#fault(fault),
    });
    this.done = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  /** Begins a run that has no history yet, and perhaps no document: the gate stores it when that is needed. */
  begin(gate: Gate): void {
    this.#openJournal(gate, 0, 0);
    this.#loaded = true;
    this.#tell({ kind: 'resume' });
  }

  /**
   * Goes on where the journal ends; with a refusal, ends there, if nothing has begun. A fault of the store breaks the
   * stay; whoever claims next tries again.
   */
  async resume(refusal: RunError | null = null): Promise<void> {
    try {
      const { id } = this.execution;
      // All messages: one may have come between the claim and now, when there was no actor to be told.
      const { records, mail: stored } = await this.deps.store.openRun(id);
      const entries = await decodeEntries(
        records.map((record) => record.json),
        (hashes) => this.deps.store.getPayloads(id, hashes),
      );
      this.#state = replay(entries);
      this.#openJournal(Gate.passed(), records.at(-1)?.n ?? 0, entries.length);
      if (this.#state.ended !== null) return void this.#rest();
      this.#interruption = await interruptionsOf(this.facts.plan, this.#state, (type) =>
        this.deps.node(type, this.execution.tenantId),
      );
      if (refusal !== null) this.#events.push({ kind: 'refused', error: refusal });
      else if (this.#state.inherited && this.execution.preload !== null) await this.#inherit(entries.length);
      const mail = await this.#mailbox.complete(stored, this.#state.taken);
      // Together with what was handed over meanwhile: nothing is decided before all that is known is looked at, in the
      // order in which it was sent.
      const handedOver = this.#events.flatMap((event) => (event.kind === 'mail' ? event.mail : []));
      const first = this.#events.filter(({ kind }) => kind === 'inherit' || kind === 'refused');
      const others = this.#events.filter((event) => event.kind !== 'mail' && !first.includes(event));
      this.#events = [...first, { kind: 'mail', mail: [...mail, ...handedOver] }, ...others];
      this.#loaded = true;
      this.#tell({ kind: 'resume' });
    } catch (fault) {
      this.#break(fault);
    }
  }

  /** As `begin`, after taking over the outputs of an earlier run. */
  async beginPreloaded(gate: Gate): Promise<void> {
    try {
      this.#openJournal(gate, 0, 0);
      await this.#inherit(0);
      this.#loaded = true;
      this.#tell({ kind: 'resume' });
    } catch (fault) {
      this.#break(fault);
    }
  }

  /** A message that is stored already. False when the stay is over, and the next one must be told. */
  deliver(mail: Mail): boolean {
    if (outputLiesIn(mail) === null) this.#tell({ kind: 'mail', mail: [mail] });
    else this.notice(Number.POSITIVE_INFINITY);
    return !this.#over;
  }

  /** Catches up when the database counts more messages than were seen: the hint of a sender may have been lost. */
  notice(inbox: number): void {
    if (this.#over) return;
    this.#mailbox.catchUp(
      inbox,
      this.#state.taken,
      (mail) => this.#tell({ kind: 'mail', mail }),
      (fault) => this.#fault(fault),
    );
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** What the run holds in memory, in characters. */
  get weight(): number {
    return this.#weight;
  }

  /** Nothing is in flight or to be done: it waits for its timer. */
  get idle(): boolean {
    return this.#timer !== null && this.#attempts.size === 0;
  }

  /** Begins nothing more, and gives the run back as soon as nothing is in flight. */
  drain(): void {
    this.#draining = true;
    this.#tell({ kind: 'due' });
  }

  /** Leaves at once, writing nothing: flights are aborted, the claim is left to whoever takes it. */
  stop(): void {
    this.#end({ kind: 'stopped' });
  }

  /** Takes over what counts of an earlier run, but for what was taken over before; in parts that fit into records. */
  async #inherit(known: number): Promise<void> {
    const from = this.execution.preload?.executionId ?? '';
    const taken = (await this.deps.inherited(this.execution)).slice(known);
    const parts: RunEvent[] = [];
    for (let at = 0; at < taken.length; at += INHERITED_AT_ONCE)
      parts.push({ kind: 'inherit', from, taken: taken.slice(at, at + INHERITED_AT_ONCE) });
    this.#events.unshift(...parts);
  }

  #openJournal(gate: Gate, n: number, before: number): void {
    this.#gate = gate;
    this.#journal = new JournalWriter(
      {
        store: this.deps.store,
        clock: this.deps.clock,
        claim: this.#claim,
        policy: this.deps.flush,
        meters: this.deps.meters,
        gate,
        mayWrite: this.deps.mayWrite,
        onDurable: (position) => this.deps.onDurable(this.execution.id, position),
        onFault: (fault) => this.#fault(fault),
      },
      n,
      before,
    );
  }

  get #claim(): Claim {
    return { id: this.execution.id, host: this.execution.owner as string, epoch: this.execution.epoch };
  }

  get #at(): Circumstances {
    return { now: this.deps.clock.now(), random: this.deps.random };
  }

  #tell(event: RunEvent): void {
    if (this.#over) return;
    this.#events.push(event);
    if (this.#loaded && !this.#deciding && !this.#resting) this.#pump();
  }

  #pump(): void {
    this.#deciding = true;
    try {
      for (let event = this.#events.shift(); event !== undefined && !this.#over; event = this.#events.shift()) {
        const { entries, commands } = decide(
          { facts: this.facts, interruption: this.#interruption },
          this.#state,
          event,
          this.#at,
        );
        this.#journal.add(entries);
        for (const command of commands) this.#carryOut(command);
      }
    } catch (fault) {
      // Half of a decision may be in the state: nothing can be built on it.
      this.#break(fault);
    }
    this.#deciding = false;
    if (this.#over) return;
    this.#weigh(this.#triggerSize + this.#state.size);
    this.#settleDown();
  }

  #carryOut(command: Command): void {
    switch (command.kind) {
      case 'run':
        // A draining actor begins nothing: the next owner decides the same again.
        if (!this.#draining) void this.#attempts.begin(command.path, command.attempt);
        return;
      case 'abort':
        return this.#attempts.abort(command.path);
      case 'cancel_child':
        return void this.#cancelChild(command.child);
      case 'go_on':
        this.#goesOn = true;
        this.deps.clock.after(0, () => {
          this.#goesOn = false;
          this.#tell({ kind: 'due' });
        });
    }
  }

  #record(entry: Recorded): Promise<void> {
    apply(this.#state, entry);
    this.#journal.add([entry]);
    return this.#journal.barrier();
  }

  /** At once; should that fail, or this host stop before, the end of this run does it. */
  async #cancelChild(child: string): Promise<void> {
    if (this.#state.ended !== null) return;
    try {
      await this.#journal.barrier();
      const now = this.deps.clock.now();
      await this.deps.store.post(child, cancellation(now, unwanted(this.execution.id)), now);
    } catch (fault) {
      this.#fault(fault);
    }
  }

  /** Nothing is left to decide: the run has ended, or something is in flight, or it waits. */
  #settleDown(): void {
    this.#timer?.();
    this.#timer = null;
    if (this.#state.ended !== null) return void this.#rest();
    const due = nextDue(this.facts, this.#state);
    const stays = this.#draining
      ? this.#attempts.size > 0
      : this.#goesOn || this.#state.flights.size > 0 || lingers(this.#state, due, this.deps.clock.now());
    if (stays) this.#arm(due);
    else void this.#rest();
  }

  #arm(due: number | null): void {
    if (due === null) return;
    this.#timer = alarm(this.deps, due, () => this.#tell({ kind: 'due' }));
  }

  /** Writes what must be written, then leaves memory, unless a message has come in between. */
  async #rest(): Promise<void> {
    this.#resting = true;
    try {
      const ended = this.#state.ended;
      if (ended === null) {
        await this.#journal.barrier();
        await this.#gate.open();
        if (this.#events.length === 0) await this.#release();
      } else {
        this.#tail ??= { record: await this.#journal.takeTail() };
        const heard = await this.deps.heard(this.execution, ended.status);
        const ending = endingOf(this.execution, this.facts, this.#state, ended, this.#veil, heard);
        await this.#writeEnd(ending, this.#tail.record);
      }
    } catch (fault) {
      this.#fault(fault);
      if (!this.#over) await this.#pause(REST_RETRY_MS);
    }
    this.#resting = false;
    if (!this.#over) this.#pump();
  }

  async #writeEnd(ending: Ending, tail: JournalRecord | null): Promise<void> {
    const { store } = this.deps;
    const written = await this.#insist(() => storeEnd(store, this.#gate, this.#claim, this.execution, ending, tail));
    if (written === null) return this.#end({ kind: 'stopped' });
    if (written) this.deps.onDurable(this.execution.id, this.#journal.position);
    this.#end(written ? { kind: 'ended', ending } : { kind: 'lost' });
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.deps.clock.after(ms, resolve));
  }

  async #release(): Promise<void> {
    // What a draining actor was told to begin and did not is in the state's flights: it is due now.
    const left = this.#goesOn || this.#state.flights.size > 0;
    const wakeAt = left ? this.deps.clock.now() : (nextDue(this.facts, this.#state) ?? NEVER_MS);
    const closes = closesBy(this.#state);
    const closing = closes === null ? {} : { closesBy: closes };
    const to = { inbox: this.#mailbox.inbox, wakeAt, waiting: waitingOf(this.#state), ...closing };
    // Until there is an answer: as long as there is none, nobody knows whose the run is, and nothing may be decided.
    const verdict = await this.#insist(() => this.deps.store.release(this.#claim, to));
    if (verdict === null) this.#end({ kind: 'stopped' });
    else if (verdict === 'mail') this.#events.push({ kind: 'mail', mail: await this.#readMail() });
    else if (verdict === 'lost') this.#end({ kind: 'lost' });
    // A message that was handed over since is in the database too, and has set the wake-up to now.
    else this.#end({ kind: 'released', wakeAt: this.#events.length > 0 ? this.deps.clock.now() : wakeAt });
  }

  #insist<T>(ask: () => Promise<T>): Promise<T | null> {
    return insist(ask, {
      clock: this.deps.clock,
      mayAsk: () => !this.#over && this.deps.mayWrite(),
      onFault: (fault) => this.#fault(fault),
    });
  }

  #readMail(): Promise<Mail[]> {
    return this.#mailbox.read(this.#state.taken);
  }

  #fault(fault: unknown): void {
    if (fault instanceof ClaimLost) this.#end({ kind: 'lost' });
    else if (fault instanceof StepAside) this.#end({ kind: 'aside', fault });
    else this.deps.log(this.execution, 'warn', `store: ${fault instanceof Error ? fault.message : String(fault)}`);
  }

  #break(fault: unknown): void {
    this.#end(fault instanceof ClaimLost ? { kind: 'lost' } : { kind: 'broken', fault });
  }

  #end(verdict: Verdict): void {
    if (this.#over) return;
    this.#over = true;
    this.#timer?.();
    this.#journal?.abandon();
    this.#attempts.abortAll();
    this.#weigh(0);
    this.#finish(verdict);
  }

  #weigh(size: number): void {
    this.deps.weigh(size - this.#weight);
    this.#weight = size;
  }
}
