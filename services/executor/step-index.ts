import { type PreparedPlan, type PreparedStep } from '../../dsl';
import type { StepStatus } from '../../contracts/executions/views';
import type { Entry, JournalRecord, StepEntry } from '../../runtime/core/entries/entry';
import { findStep } from '../../runtime/core/state/step-at';
import { RunPauses } from './run-pauses';
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
  /** The innermost loop around it. */
  readonly loop: LoopProgress | null;
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
  readonly pauses = new RunPauses();
  /** The record in which the end of the run was decided; null before that. */
  closing: number | null = null;
  /** The last record. */
  last: Pick<JournalRecord, 'n' | 'epoch' | 'host'> | null = null;
  /** The run has ended and all of its records are here. */
  complete = false;

  constructor(readonly plan: PreparedPlan) {}

  /** Adds the record that follows the last one. */
  add({ n, epoch, host, json }: JournalRecord): void {
    for (const entry of JSON.parse(json) as StoredEntry[]) {
      if ('path' in entry) this.#addEntry(entry, n);
      else {
        if (entry.kind === 'run.closing') this.closing = n;
        this.pauses.add(entry);
      }
    }
    this.last = { n, epoch, host };
  }

  #addEntry(entry: StepEntry & StoredEntry, n: number): void {
    const earlier = this.steps.get(entry.path);
    const known = earlier ?? this.#begin(entry);
    if (known === null) return;
    const { summary, records } = known;
    // Of a loop there is such an entry in most records of the run, and no view of the loop needs it.
    const isProgress = entry.kind === 'loop.item' || entry.kind === 'loop.turn';
    if (!isProgress && records.at(-1) !== n) records.push(n);
    const before = earlier === undefined ? null : summary.status;
    addToSummary(summary, entry);
    if (summary.error !== null && summary.error.message.length > MAX_ERROR_CHARS)
      summary.error = { ...summary.error, message: shortened(summary.error.message) };
    if (before !== summary.status && known.loop !== null) count(known.loop.steps, before, summary.status);
    if (entry.kind === 'step.opened' || entry.kind === 'loop.item') this.#addToLoop(entry);
  }

  #begin(entry: StepEntry): IndexedStep | null {
    const { path, at } = entry;
    const step = findStep(this.plan, path);
    if (step === undefined) return null;
    const begunAt = 'started' in entry ? Math.min(at, entry.started) : at;
    let innermost: LoopProgress | null = null;
    for (let found = INNERMOST.exec(path); found !== null; found = INNERMOST.exec(found[1] as string)) {
      const loop = this.#loopAt(found[1] as string);
      loop?.numbers.add(Number(found[2] ?? found[3]));
      innermost ??= loop;
    }
    const made = { path, step, summary: pendingSummary(), begunAt, records: [], loop: innermost };
    this.steps.set(path, made);
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

  #addToLoop(entry: Extract<StepEntry, { kind: 'step.opened' | 'loop.item' }> & StoredEntry): void {
    const loop = this.#loopAt(entry.path);
    if (loop === null) return;
    if (entry.kind === 'loop.item') {
      loop.ended += 1;
      return;
    }
    loop.itemsRef = entry.opening_ref ?? null;
    if (loop.itemsRef === null && entry.opening.kind === 'foreach') loop.total = entry.opening.items.length;
  }
}

function count(steps: Map<StepStatus, number>, before: StepStatus | null, after: StepStatus): void {
  if (before !== null) steps.set(before, (steps.get(before) ?? 1) - 1);
  steps.set(after, (steps.get(after) ?? 0) + 1);
}

/** A copy: a slice would keep the whole text in memory. */
const shortened = (text: string): string => `${Buffer.from(text.slice(0, MAX_ERROR_CHARS - 1)).toString()}…`;
