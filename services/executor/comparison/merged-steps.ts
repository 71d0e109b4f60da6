import type { IndexedStep } from '../step-index';
import type { StepRow } from '../step-rows';

/** A step that has begun. */
export type BegunStep = StepRow & { readonly begun: IndexedStep };

/** A step that has begun in one of two runs, or in both. */
export type MergedStep = { readonly path: string } & (
  | { readonly a: BegunStep; readonly b: BegunStep | null }
  | { readonly a: null; readonly b: BegunStep }
);

interface MergedSteps {
  readonly steps: readonly MergedStep[];
  /** The index of each step by its path. */
  readonly positions: ReadonlyMap<string, number>;
  readonly onlyInA: number;
  readonly onlyInB: number;
}

/**
 * The steps that have begun in two runs, matched by their paths, in the order of the first run; those of the second alone
 * follow the step of both that precedes them there. Yields between steps, so that the work can be sliced. Pure.
 */
export function* mergedSteps(a: readonly StepRow[], b: readonly StepRow[]): Generator<void, MergedSteps> {
  const inA = new Map<string, BegunStep>();
  for (const row of a) {
    yield;
    if (hasBegun(row)) inA.set(row.path, row);
  }
  const inB = new Map<string, BegunStep>();
  /** Steps of the second run alone, by the path of the step of both before them. */
  const behind = new Map<string, MergedStep[]>([['', []]]);
  let before = '';
  for (const row of b) {
    yield;
    if (!hasBegun(row)) continue;
    inB.set(row.path, row);
    if (inA.has(row.path)) behind.set((before = row.path), []);
    else behind.get(before)?.push({ path: row.path, a: null, b: row });
  }
  const steps: MergedStep[] = [...(behind.get('') ?? [])];
  let onlyInA = 0;
  for (const [path, row] of inA) {
    yield;
    const other = inB.get(path) ?? null;
    if (other === null) onlyInA += 1;
    steps.push({ path, a: row, b: other });
    for (const each of behind.get(path) ?? []) steps.push(each);
  }
  const positions = new Map(steps.map(({ path }, at) => [path, at]));
  return { steps, positions, onlyInA, onlyInB: inB.size - (inA.size - onlyInA) };
}

const hasBegun = (row: StepRow): row is BegunStep => row.begun !== null;
