/**
 * The writing end of one run's journal. Owns: which entries are durable. Does not own: what they mean.
 *
 *  J1  Entries become durable in the order they were added, in records numbered without a gap.
 *  J2  `barrier` resolves only when everything added before it is durable.
 *  J3  One record is in flight at a time; what is added meanwhile shares the next one.
 *  J4  After a lost claim nothing is written, and every barrier rejects.
 *  J5  Nothing waits longer than the policy says: a run of pure steps shows its progress.
 *  J6  Entries that were added together are in one record: a decision is history as a whole, or not at all.
 *  J7  A record fits into a document, however much gathers while the store is slow.
 *  J8  What is left at the end of a run goes with the end, in one write with it.
 *
 * Crash windows: before the append, the entries never happened, and no effect behind a barrier has begun. After the
 * append and before its answer, the entries are history; the next owner reads them. An append whose answer was lost is
 * sent again and finds its own record.
 */
import type { Clock } from '../../lib/clock';
import { type Encoded, encodeDecision } from '../record/codec';
import type { Entry, JournalRecord } from '../record/entry';
import type { Claim, RunStore } from '../store/port';
import type { Gate } from './gate';
import type { Meters } from './meters';

/** Thrown to an actor whose run belongs to another claim by now. */
export class ClaimLost extends Error {
  constructor(id: string) {
    super(`The claim on execution ${id} is lost`);
    this.name = 'ClaimLost';
  }
}

/** How long, and how much, may wait to be written when no barrier asks. */
export interface FlushPolicy {
  readonly afterMs: number;
  readonly chars: number;
}

export const FLUSH: FlushPolicy = { afterMs: 50, chars: 256 * 1024 };

/** Pauses between tries of a store that fails, in milliseconds; the last one repeats. */
const RETRY_MS = [20, 100, 500, 1_000];

export interface JournalDeps {
  readonly store: Pick<RunStore, 'append' | 'putPayload'>;
  readonly clock: Clock;
  readonly claim: Claim;
  readonly policy: FlushPolicy;
  readonly meters: Meters;
  /** Opens when the run's own document is durable: no record may come before it. */
  readonly gate: Gate;
  /** False once the host must not write any more. */
  readonly mayWrite: () => boolean;
  readonly onDurable: (position: number) => void;
  readonly onFault: (fault: unknown) => void;
}

export class JournalWriter {
  #waiting: Encoded[] = [];
  #chars = 0;
  #flushing: Promise<void> | null = null;
  #timer: (() => void) | null = null;
  #lost = false;

  /** `n` and `before`: the last record of the history so far, and how many entries it and the earlier ones hold. */
  constructor(
    private readonly deps: JournalDeps,
    private n: number,
    private before: number,
  ) {}

  /** Takes the entries of one decision. */
  add(entries: readonly Entry[]): void {
    if (entries.length === 0 || this.#lost) return;
    const encoded = encodeDecision(entries);
    this.#waiting.push(encoded);
    this.#chars += encoded.text.length;
    if (this.#chars >= this.deps.policy.chars) this.#flushLater();
    else this.#timer ??= this.deps.clock.after(this.deps.policy.afterMs, this.#flushLater);
  }

  /** @throws ClaimLost */
  async barrier(): Promise<void> {
    if (this.#flushing !== null) await this.#flushing;
    if (this.#waiting.length > 0) await this.#flush();
    if (this.#lost) throw new ClaimLost(this.deps.claim.id);
  }

  /**
   * What is not durable yet, as the record that is stored together with the run's end; null when there is nothing.
   * The last thing that is asked of a writer. @throws ClaimLost
   */
  async takeTail(): Promise<JournalRecord | null> {
    if (this.#flushing !== null || this.#chars > this.deps.policy.chars) await this.barrier();
    if (this.#lost) throw new ClaimLost(this.deps.claim.id);
    if (this.#waiting.length === 0) return null;
    this.#timer?.();
    this.#timer = null;
    const batch = this.#waiting.splice(0);
    await this.#insist(() => this.#putPayloads(batch));
    const record = this.#recordOf(batch);
    this.#advance(batch, record);
    return record;
  }

  /** How many entries there are, durable or on their way. */
  get position(): number {
    return this.before;
  }

  /** Writes nothing more. What is not durable yet has never been shown. */
  abandon(): void {
    this.#lost = true;
    this.#waiting = [];
    this.#timer?.();
    this.#timer = null;
  }

  /** In the background. */
  readonly #flushLater = (): void => {
    this.#timer?.();
    this.#timer = null;
    if (this.#flushing === null) this.#flush().catch(this.deps.onFault);
  };

  #flush(): Promise<void> {
    this.#flushing ??= this.#writeAll().finally(() => {
      this.#flushing = null;
    });
    return this.#flushing;
  }

  async #writeAll(): Promise<void> {
    await this.deps.gate.open();
    // What comes meanwhile waits for its own time, unless there is much of it.
    for (let due = this.#waiting.length; due > 0 || this.#chars >= this.deps.policy.chars; ) {
      this.#timer?.();
      this.#timer = null;
      // Abandoned while a record was on its way: what waited is gone.
      if (this.#lost) throw new ClaimLost(this.deps.claim.id);
      const batch = this.#take();
      due -= batch.length;
      const record = this.#recordOf(batch);
      const began = this.deps.clock.now();
      await this.#insist(async () => {
        await this.#putPayloads(batch);
        await this.#append(record);
      });
      this.deps.meters.flushed(this.deps.clock.now() - began);
      this.#advance(batch, record);
      this.deps.onDurable(this.before);
    }
    if (this.#waiting.length > 0) this.#timer ??= this.deps.clock.after(this.deps.policy.afterMs, this.#flushLater);
  }

  #recordOf(batch: readonly Encoded[]): JournalRecord {
    const { id, epoch, host } = this.deps.claim;
    const json = `[${batch.map((encoded) => encoded.text).join(',')}]`;
    return { executionId: id, n: this.n + 1, epoch, host, at: this.deps.clock.now(), before: this.before, json };
  }

  #advance(batch: readonly Encoded[], record: JournalRecord): void {
    const entries = batch.reduce((sum, encoded) => sum + encoded.count, 0);
    this.n += 1;
    this.before += entries;
    this.deps.meters.recorded(entries, record.json);
  }

  async #putPayloads(batch: readonly Encoded[]): Promise<void> {
    for (const { hash, json } of batch.flatMap((encoded) => encoded.payloads)) {
      await this.deps.store.putPayload(this.deps.claim.id, hash, json);
    }
  }

  /** The next decisions that share a record: as many as stay under the policy's size, and at least one. */
  #take(): Encoded[] {
    let chars = 0;
    let end = 0;
    do chars += (this.#waiting[end++] as Encoded).text.length;
    while (end < this.#waiting.length && chars + (this.#waiting[end] as Encoded).text.length <= this.deps.policy.chars);
    this.#chars -= chars;
    return this.#waiting.splice(0, end);
  }

  async #append(record: JournalRecord): Promise<void> {
    const result = await this.deps.store.append(record);
    const own = result.kind === 'appended' || (result.epoch === record.epoch && result.host === record.host);
    if (own) return;
    // A newer epoch: another host owns the run. An older one: a host that was thought dead wrote after this one had
    // read the history. Either way this actor's view is wrong, and it must stop; the history is read afresh.
    this.abandon();
    throw new ClaimLost(record.executionId);
  }

  /** Tries again while the store fails, for as long as the host may write: accepted work waits for the database. */
  async #insist(write: () => Promise<void>): Promise<void> {
    for (let tries = 0; ; tries++) {
      if (this.#lost || !this.deps.mayWrite()) {
        this.abandon();
        throw new ClaimLost(this.deps.claim.id);
      }
      try {
        return await write();
      } catch (fault) {
        if (fault instanceof ClaimLost) throw fault;
        this.deps.onFault(fault);
        const pause = RETRY_MS[Math.min(tries, RETRY_MS.length - 1)] as number;
        await new Promise<void>((resolve) => this.deps.clock.after(pause, resolve));
      }
    }
  }
}
