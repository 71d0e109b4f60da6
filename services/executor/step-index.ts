import { type PreparedPlan, type PreparedStep } from '../../dsl';
import type { StepStatus } from '../../contracts/executions/views';
import type { Entry, JournalRecord, StepEntry } from '../../runtime/core/entries/entry';
import { findStep } from '../../runtime/core/state/step-at';
import { addToSummary, pendingSummary, type StepSummary } from './step-summary';

/** Longer messages of errors are cut in the index; the journal has all of them. */
const MAX_ERROR_CHARS = 300;

/** A step that has begun: its state, and the records of the journal that are about it. */
export interface IndexedStep {
  readonly path: string;
  readonly step: PreparedStep;
  readonly summary: StepSummary;
  /** When its first entry was recorded, or its first attempt began. */
  readonly begunAt: number;
  /** Numbers of records, rising. */
  readonly records: number[];
}

/** The progress of a loop: counts of its items or iterations, and of the steps directly in them by status. */
export interface LoopProgress {
  readonly kind: 'foreach' | 'while';
  /** Numbers of items or iterations in which a step has begun. */
  readonly numbers: Set<number>;
  /** The number of items; null for a `while`, and while it is unknown. */
  total: number | null;
  /** The payload that holds the items, when they are not in the entry. */
  itemsRef: string | null;
  /** Items that have ended. */
  ended: number;
  readonly steps: Map<StepStatus, number>;
}

/** The innermost loop of a path, with the number of the item or iteration. */
const INNERMOST = /^(.*)\/steps(?:\[(\d+)\]|\.(\d+))\//;

/** An entry as it is stored: large values are replaced by references to payloads. */
type StoredEntry = Entry & { readonly opening_ref?: string };

/**
 * The steps of a run by path, without their values: a fold over its journal, record by record. It is several times smaller
 * than the journal, and is continued where it ends.
 */
export class StepIndex {
  readonly steps = new Map<string, IndexedStep>();
  readonly loops = new Map<string, LoopProgress>();
  /** The last record. */
  last: Pick<JournalRecord, 'n' | 'epoch' | 'host'> | null = null;
  /** The run has ended and all of its records are here. */
  complete = false;

  constructor(readonly plan: PreparedPlan) {}

  /** Adds the record that follows the last one. */
  add({ n, epoch, host, json }: JournalRecord): void {
    for (const entry of JSON.parse(json) as StoredEntry[]) if ('path' in entry) this.#addEntry(entry, n);
    this.last = { n, epoch, host };
  }

  #addEntry(entry: StepEntry & StoredEntry, n: number): void {
    const earlier = this.steps.get(entry.path);
    const known = earlier ?? this.#begin(entry);
    if (known === null) return;
    const { summary, records, path } = known;
    if (records.at(-1) !== n) records.push(n);
    const before = earlier === undefined ? null : summary.status;
    addToSummary(summary, entry);
    if (summary.error !== null && summary.error.message.length > MAX_ERROR_CHARS)
      summary.error = { ...summary.error, message: shortened(summary.error.message) };
    if (before !== summary.status) this.#count(path, before, summary.status);
    this.#addToLoop(path, entry);
  }

  #begin(entry: StepEntry): IndexedStep | null {
    const { path, at } = entry;
    const step = findStep(this.plan, path);
    if (step === undefined) return null;
    const begunAt = 'started' in entry ? Math.min(at, entry.started) : at;
    const made: IndexedStep = { path, step, summary: pendingSummary(), begunAt, records: [] };
    this.steps.set(path, made);
    for (let loop = INNERMOST.exec(path); loop !== null; loop = INNERMOST.exec(loop[1] as string))
      this.#loopAt(loop[1] as string)?.numbers.add(Number(loop[2] ?? loop[3]));
    return made;
  }

  #loopAt(path: string): LoopProgress | null {
    const known = this.loops.get(path);
    if (known !== undefined) return known;
    const kind = findStep(this.plan, path)?.control?.kind;
    if (kind !== 'foreach' && kind !== 'while') return null;
    const made = { kind, numbers: new Set<number>(), total: null, itemsRef: null, ended: 0, steps: new Map() };
    this.loops.set(path, made);
    return made;
  }

  #addToLoop(path: string, entry: StepEntry & StoredEntry): void {
    if (entry.kind === 'loop.item') (this.#loopAt(path) as LoopProgress).ended += 1;
    if (entry.kind !== 'step.opened') return;
    const loop = this.#loopAt(path);
    if (loop === null) return;
    loop.itemsRef = entry.opening_ref ?? null;
    if (loop.itemsRef === null && entry.opening.kind === 'foreach') loop.total = entry.opening.items.length;
  }

  #count(path: string, before: StepStatus | null, after: StepStatus): void {
    const loop = INNERMOST.exec(path)?.[1];
    const steps = loop === undefined ? undefined : this.#loopAt(loop)?.steps;
    if (steps === undefined) return;
    if (before !== null) steps.set(before, (steps.get(before) ?? 1) - 1);
    steps.set(after, (steps.get(after) ?? 0) + 1);
  }
}

/** A copy: a slice would keep the whole text in memory. */
const shortened = (text: string): string => `${Buffer.from(text.slice(0, MAX_ERROR_CHARS - 1)).toString()}…`;
