/**
 * Writes the journal of one run. Owns: which entries are durable. Does not own: what they mean.
 *
 *  J1  Entries become durable in the order they were added, in records numbered without a gap.
 *  J2  `barrier` resolves only when everything added before it is durable.
 *  J3  One record is in flight at a time; entries added meanwhile share the next one.
 *  J4  After a lost claim nothing is written, and every barrier rejects.
 *  J5  Nothing is delayed longer than the flush policy allows: a run of pure steps shows its progress.
 *  J6  Entries that were added together are in one record: a decision is stored as a whole, or not at all.
 *  J7  A record fits into a document, however much accumulates while the store is slow.
 *  J8  Entries left at the end of a run are stored with the end, in one write.
 *
 * Crash windows: before the append, the entries never happened, and no effect behind a barrier has begun. After the
 * append and before its answer, the entries are history; the next owner reads them. An append whose answer was lost is
 * sent again and finds its own record.
 */
import type { Clock } from '../../lib/clock';
import { type Encoded, encodeDecision } from '../core/entries/codec';
import type { Entry, JournalRecord } from '../core/entries/entry';
import { type Claim, claimOf, type Execution } from '../core/model';
import type { RunStore } from '../ports/run-store';
import type { DeferredInsert } from './deferred-insert';
import type { Meters } from './meters';

/** The run belongs to another claim. */
export class ClaimLost extends Error {
  constructor(id: string) {
    super(`The claim on execution ${id} is lost`);
    this.name = 'ClaimLost';
  }
}

/** How long, and how many characters, may be buffered without a barrier. */
export interface FlushPolicy {
  readonly afterMs: number;
  readonly chars: number;
}

export const DEFAULT_FLUSH: FlushPolicy = { afterMs: 50, chars: 256 * 1024 };

/** Pauses between retries, in milliseconds; the last one repeats. */
const RETRY_MS = [20, 100, 500, 1_000];

interface JournalDeps {
  readonly store: Pick<RunStore, 'append' | 'putPayload'>;
  readonly clock: Clock;
  readonly claim: Claim;
  readonly policy: FlushPolicy;
  readonly meters: Meters;
  /** Stores the run's document, which must precede the first record. */
  readonly insert: DeferredInsert;
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
  #progressed = false;

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
   * Returns the buffered entries as the record that is stored with the run's end; null when there are none. The last
   * call to a writer. @throws ClaimLost
   */
  async takeTail(): Promise<JournalRecord | null> {
    if (this.#flushing !== null || this.#chars > this.deps.policy.chars) await this.barrier();
    if (this.#lost) throw new ClaimLost(this.deps.claim.id);
    if (this.#waiting.length === 0) return null;
    this.#timer?.();
    this.#timer = null;
    const batch = this.#waiting.splice(0);
    await this.#retryWhileOwner(() => this.#putPayloads(batch));
    const record = this.#recordOf(batch);
    this.#advance(batch, record);
    return record;
  }

  /** True when more than an intent is durable. */
  get progressed(): boolean {
    return this.#progressed;
  }

  /** Number of the last record. */
  get last(): number {
    return this.n;
  }

  /** Number of entries, durable or in flight. */
  get position(): number {
    return this.before;
  }

  /** Stops writing. Entries that are not durable were never visible. */
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
    await this.deps.insert.store();
    // Entries added meanwhile wait for their own flush, unless they exceed the size limit.
    for (let due = this.#waiting.length; due > 0 || this.#chars >= this.deps.policy.chars; ) {
      this.#timer?.();
      this.#timer = null;
      // Abandoned while a record was in flight: the buffer is empty.
      if (this.#lost) throw new ClaimLost(this.deps.claim.id);
      const batch = this.#take();
      due -= batch.length;
      const record = this.#recordOf(batch);
      const began = this.deps.clock.now();
      await this.#retryWhileOwner(async () => {
        await this.#putPayloads(batch);
        await this.#append(record);
      });
      this.deps.meters.flushed(this.deps.clock.now() - began);
      this.#advance(batch, record);
      this.#progressed ||= batch.some(({ progress }) => progress);
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
    const payloads = batch.flatMap((encoded) => encoded.payloads);
    // At once, so that they share commands.
    await Promise.all(payloads.map(({ hash, json }) => this.deps.store.putPayload(this.deps.claim.id, hash, json)));
  }

  /** The decisions of the next record: as many as fit the size limit of the policy, and at least one. */
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
    // A newer epoch: another host owns the run. An older one: a host that was declared dead wrote after this one had
    // read the history. Either way this actor's state is wrong, and it must stop; the next activation reads the history
    // again.
    this.abandon();
    throw new ClaimLost(record.executionId);
  }

  /** Retries while the store fails and the host may write: accepted work waits for the database. */
  async #retryWhileOwner(write: () => Promise<void>): Promise<void> {
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

/** The journal of a run on this host; `n` and `before` as in the constructor of `JournalWriter`. */
export const openJournal = (
  deps: Pick<JournalDeps, 'store' | 'clock' | 'meters' | 'mayWrite'> & {
    readonly flush: FlushPolicy;
    readonly onDurable: (execution: Execution, position: number) => void;
  },
  execution: Execution,
  insert: DeferredInsert,
  { n, before }: { readonly n: number; readonly before: number },
  onFault: (fault: unknown) => void,
): JournalWriter => {
  const { store, clock, flush: policy, meters, mayWrite } = deps;
  const onDurable = (position: number): void => deps.onDurable(execution, position);
  const claim = claimOf(execution);
  return new JournalWriter({ store, clock, claim, policy, meters, insert, mayWrite, onDurable, onFault }, n, before);
};
