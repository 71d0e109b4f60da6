import {
  blockOf,
  blockPath,
  DOCUMENT_ON_ERROR,
  iterationPath,
  loopsOf,
  type PreparedBlock,
  stepIdOf,
  stepPath,
  stepsUsed,
  type Template,
  templateRefs,
} from '../../../dsl';
import type { Entry } from '../../../runtime/core/entries/entry';
import { HANDLERS } from '../../../runtime/core/decide/failure';
import { nearestBlock } from '../../../runtime/core/state/nearest-block';
import { findStep } from '../../../runtime/core/state/step-at';
import type { StepIndex } from '../step-index';
import type { Position } from './position';

/** What of a run's data some expressions use. */
export interface Used {
  /** Ids of the steps whose outputs are read; null when it may be any. */
  readonly steps: ReadonlySet<string> | null;
  readonly loop: boolean;
  readonly error: boolean;
}

/** `given`: ids of steps whose outputs do not come from the run. */
export function usedBy(templates: readonly Template[], given: readonly string[]): Used {
  const steps = templates.map((template) => stepsUsed(template));
  const uses = (root: string): boolean => templates.some((template) => templateRefs(template).roots.includes(root));
  const ids = new Set(steps.flatMap((each) => each ?? []));
  for (const id of given) ids.delete(id);
  return { steps: steps.includes(null) ? null : ids, loop: uses('loop'), error: uses('error') };
}

/** The entries that show what is used. */
interface Needed {
  /** Numbers of the records that have them. */
  readonly records: readonly number[];
  /** An entry without the values that nothing here reads; null for one that is not needed. */
  readonly pick: (entry: Entry) => Entry | null;
}

/** Instances of a step in a `while` that may be the last one that ended before a position. */
const CANDIDATES = 2;

/** Finds the entries of a run that show what is used at a position. Their number is bounded by the document, not by the run. */
export function* neededFor(index: StepIndex, position: Position, used: Used): Generator<void, Needed> {
  const settled = new Set<string>();
  for (const step of index.plan.byPath.values()) {
    if (used.steps === null || used.steps.has(step.def.id)) yield* addInstances(step.path, settled, index, position);
  }
  const undone = nearestBlock(position.path, ['compensate'])?.step;
  if (undone !== undefined && (used.steps === null || used.steps.has(stepIdOf(undone)))) settled.add(undone);
  if (used.error) addFailures(index, position.path, settled);
  const loops = used.loop
    ? loopsOf(position.path).flatMap(({ kind, block }) => (kind === 'item' ? [blockOf(block)] : []))
    : [];
  const opened = new Set(loops);
  const records = new Set<number>();
  for (const path of settled) addIfAny(records, lastUntil(index, path, position.record));
  for (const path of opened) addIfAny(records, index.steps.get(path)?.records[0]);
  if (used.error) addIfAny(records, index.closing);
  return {
    records: [...records].filter((n) => n <= position.record).sort((a, b) => a - b),
    pick: (entry) => picked(entry, settled, opened),
  };
}

function picked(entry: Entry, settled: ReadonlySet<string>, opened: ReadonlySet<string>): Entry | null {
  switch (entry.kind) {
    case 'run.closing':
      return entry;
    case 'step.opened':
      return opened.has(entry.path) ? entry : null;
    case 'step.completed':
    case 'step.failed':
    case 'step.skipped':
      return settled.has(entry.path) ? withoutInput(entry) : null;
    default:
      return null;
  }
}

function withoutInput(entry: Entry): Entry {
  const { input: _input, input_ref: _ref, ...rest } = entry as Entry & { input?: unknown; input_ref?: unknown };
  return rest as Entry;
}

const addIfAny = (records: Set<number>, n: number | null | undefined): void => {
  if (n !== undefined && n !== null) records.add(n);
};

/** The last record of a step up to another one. */
const lastUntil = ({ steps }: StepIndex, path: string, record: number): number | undefined =>
  steps.get(path)?.records.findLast((n) => n <= record);

/**
 * Adds the last instances of a planned step that began before a position. In a `foreach` around both, they are of the same
 * item; a `foreach` around the step alone hides it; of a `while`, the last iterations count.
 */
function* addInstances(planned: string, found: Set<string>, index: StepIndex, position: Position): Generator<void> {
  let left = CANDIDATES;
  const root = planned.startsWith(`${DOCUMENT_ON_ERROR}/`) ? DOCUMENT_ON_ERROR : '';
  yield* walk(root, planned.slice(root === '' ? 0 : root.length + 1).split('/'));

  function* walk(at: string, [id = '', key, ...rest]: readonly string[]): Generator<void> {
    yield;
    const path = stepPath(at, id);
    if (left === 0) return;
    if (key === undefined) {
      if (lastUntil(index, path, position.record) === undefined) return;
      found.add(path);
      left -= 1;
      return;
    }
    for (const block of blocksAt(path, key)) yield* walk(block, rest);
  }

  function blocksAt(path: string, key: string): readonly string[] {
    const control = key === 'steps' ? findStep(index.plan, path)?.control?.kind : undefined;
    if (control !== 'foreach' && control !== 'while') return [blockPath(path, key)];
    const around = loopsOf(position.path).find((loop) => blockOf(loop.block) === path);
    if (control === 'foreach') return around === undefined ? [] : [around.block];
    const last = around?.index ?? Number.POSITIVE_INFINITY;
    const numbers = [...(index.loops.get(path)?.numbers ?? [])].filter((number) => number <= last);
    return numbers.reverse().map((number) => iterationPath(path, number));
  }
}

/** Adds the steps whose failures the `error` of a handler may be about. */
function addFailures({ plan }: StepIndex, path: string, found: Set<string>): void {
  const handler = nearestBlock(path, HANDLERS);
  if (handler === null) return;
  const { key, step: holder } = handler;
  if (key === 'on_error') found.add(holder);
  const blocks = findStep(plan, holder)?.blocks;
  for (const name of key === 'finally' ? ['catch', 'steps'] : key === 'catch' ? ['steps'] : []) {
    const block = blocks?.get(name);
    if (block !== undefined) addBlock(block, blockPath(holder, name));
  }

  function addBlock({ steps }: PreparedBlock, at: string): void {
    for (const { def, blocks: inner } of steps) {
      const step = stepPath(at, def.id);
      found.add(step);
      const handling = inner.get('on_error');
      if (handling !== undefined) addBlock(handling, blockPath(step, 'on_error'));
    }
  }
}
