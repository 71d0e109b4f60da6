import { isObject, type Json } from '../../lib/json';
import type { StepStatus } from '../../contracts/executions/views';
import type { PreparedPlan } from '../../dsl';
import type { JournalRecord } from '../../runtime/core/entries/entry';
import { type Before, columnOf, type Columns, columnsOf, type Segment } from './step-columns';
import { type IndexedStep, type LoopProgress, StepIndex } from './step-index';
import type { StepSummary } from './step-summary';

/** Rises with every change of the format or of what the index holds, so that older snapshots are built again. */
const FORMAT = 1;

/** The name of the snapshot among the payloads of its run, which are removed with the run. */
export const SNAPSHOT = `step-index-${FORMAT}`;

interface StoredLoop {
  readonly path: string;
  readonly kind: LoopProgress['kind'];
  /** First and last of runs of numbers, in the order in which they began. */
  readonly numbers: readonly number[];
  readonly total: number | null;
  readonly itemsRef: string | null;
  readonly ended: number;
  readonly steps: readonly (readonly [StepStatus, number])[];
}

interface Header {
  readonly format: number;
  readonly plan: string;
  readonly last: Pick<JournalRecord, 'n' | 'epoch' | 'host'>;
  readonly count: number;
  readonly loops: readonly StoredLoop[];
}

/** Steps of a segment: its text is read in some milliseconds. */
const SEGMENT_STEPS = 2_000;

const SUMMARY = [
  'status',
  'attempt',
  'startedAt',
  'endedAt',
  'durationMs',
  'error',
  'inputTokens',
  'outputTokens',
  'costUsd',
] as const satisfies readonly (keyof StepSummary)[];

/** Members that mostly follow those of the step before: the difference is shorter. */
const RISING: ReadonlySet<string> = new Set(['startedAt', 'endedAt', 'begunAt']);

/** The lines of the index of a run that has ended: a header, then the steps. Yields between pieces, so that the work can be sliced. */
export function* encodeIndex(index: StepIndex): Generator<void, string[]> {
  const { plan, last } = index;
  if (last === null) throw new Error('An index without records has no snapshot');
  const planned = new Map([...plan.byPath.keys()].map((path, at) => [path, at]));
  const loops = new Map([...index.loops.values()].map((loop, at) => [loop, at]));
  const header: Header = {
    format: FORMAT,
    plan: plan.plan.hash,
    last,
    count: index.steps.size,
    loops: [...index.loops].map(([at, loop]) => ({
      path: at,
      kind: loop.kind,
      numbers: rangesOf(loop.numbers),
      // Of a run, every process stores the same text: a number that was read from a payload is read again.
      total: loop.itemsRef === null ? loop.total : null,
      itemsRef: loop.itemsRef,
      ended: loop.ended,
      steps: [...loop.steps],
    })),
  };
  const lines = [JSON.stringify(header)];
  const before: Before = {};
  let columns = new Map<string, Json[]>();
  let [path, rows] = ['', 0];
  const add = (name: string, value: Json): void => {
    const column = columns.get(name);
    if (column === undefined) columns.set(name, [value]);
    else column.push(value);
  };
  const flush = (): void => {
    const segment: Segment = Object.fromEntries([...columns].map(([name, values]) => [name, columnOf(values)]));
    lines.push(JSON.stringify(segment));
    columns = new Map();
    rows = 0;
  };
  for (const step of index.steps.values()) {
    yield;
    const shared = sharedPrefix(path, step.path);
    path = step.path;
    add('shared', shared);
    add('rest', path.slice(shared));
    add('step', planned.get(step.step.path) ?? -1);
    add('loop', step.loop === null ? -1 : (loops.get(step.loop) ?? -1));
    add('records', differences(step.records));
    for (const [name, value] of [['begunAt', step.begunAt] as const, ...summaryOf(step)]) {
      if (RISING.has(name) && typeof value === 'number') {
        add(name, value - (before[name] ?? 0));
        before[name] = value;
      } else add(name, value);
    }
    rows += 1;
    if (rows === SEGMENT_STEPS) flush();
  }
  if (rows > 0) flush();
  return lines;
}

/** The index of a snapshot; null for one of another format or plan, and for one that is not whole. */
export function* decodeIndex(lines: readonly string[], plan: PreparedPlan): Generator<void, StepIndex | null> {
  const [first = '', ...rest] = lines;
  const header = headerOf(parsed(first), plan);
  if (header === null) return null;
  const index = new StepIndex(plan);
  const planned = [...plan.byPath.values()];
  const loops = header.loops.map((stored) => loopOf(stored));
  for (const [at, { path }] of header.loops.entries()) index.loops.set(path, loops[at] as LoopProgress);
  const before: Before = {};
  let path = '';
  for (const [at, line] of rest.entries()) {
    const columns = columnsOf(parsed(line), Math.min(SEGMENT_STEPS, header.count - at * SEGMENT_STEPS));
    if (columns === null) return null;
    yield;
    for (let row = 0; row < columns.rows; row++) {
      path = path.slice(0, columns.number('shared', row)) + String(columns.at('rest', row));
      const step = planned[columns.number('step', row)];
      if (step === undefined) return null;
      const records = sums(columns.at('records', row) as readonly number[]);
      const loop = loops[columns.number('loop', row)] ?? null;
      const begunAt = columns.rising('begunAt', row, before) ?? 0;
      index.steps.set(path, { path, step, summary: summaryAt(columns, row, before), begunAt, records, loop });
    }
    yield;
  }
  if (index.steps.size !== header.count) return null;
  index.last = header.last;
  return index;
}

/** What this program has stored is trusted once its format, plan and size are right. */
function headerOf(value: unknown, plan: PreparedPlan): Header | null {
  const isRight = isObject(value) && value.format === FORMAT && value.plan === plan.plan.hash;
  return isRight && Array.isArray(value.loops) ? (value as unknown as Header) : null;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return null;
  }
}

const summaryAt = (columns: Columns, row: number, before: Before): StepSummary => ({
  status: columns.at('status', row) as StepStatus,
  attempt: columns.number('attempt', row),
  startedAt: columns.rising('startedAt', row, before),
  endedAt: columns.rising('endedAt', row, before),
  durationMs: columns.at('durationMs', row) as number | null,
  error: columns.at('error', row) as StepSummary['error'],
  inputTokens: columns.at('inputTokens', row) as number | null,
  outputTokens: columns.at('outputTokens', row) as number | null,
  costUsd: columns.at('costUsd', row) as number | null,
});

const summaryOf = ({ summary }: IndexedStep): (readonly [string, Json])[] =>
  SUMMARY.map((name) => [name, summary[name] as Json]);

const loopOf = ({ kind, numbers, total, itemsRef, ended, steps }: StoredLoop): LoopProgress => ({
  kind,
  numbers: numbersIn(numbers),
  total,
  itemsRef,
  ended,
  steps: new Map(steps),
});

function sharedPrefix(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a.charCodeAt(length) === b.charCodeAt(length)) length += 1;
  return length;
}

const differences = (values: readonly number[]): number[] => values.map((value, at) => value - (values[at - 1] ?? 0));

function sums(values: readonly number[]): number[] {
  let sum = 0;
  return values.map((value) => {
    sum += value;
    return sum;
  });
}

function rangesOf(numbers: ReadonlySet<number>): number[] {
  const ranges: number[] = [];
  for (const number of numbers) {
    if (ranges.length > 0 && ranges.at(-1) === number - 1) ranges[ranges.length - 1] = number;
    else ranges.push(number, number);
  }
  return ranges;
}

function numbersIn(ranges: readonly number[]): Set<number> {
  const numbers = new Set<number>();
  for (let at = 0; at + 1 < ranges.length; at += 2)
    for (let number = ranges[at] as number; number <= (ranges[at + 1] as number); number++) numbers.add(number);
  return numbers;
}
