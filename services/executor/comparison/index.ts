import type { ResultOf } from '../../../contracts/catalogue';
import type { ComparedRun, ComparedStep } from '../../../contracts/executions/comparison';
import { AppError } from '../../../lib/errors';
import { runSliced } from '../../../lib/time-slices';
import type { ActionContext } from '../../../mixins/service';
import type { Entry } from '../../../runtime/core/entries/entry';
import type { Execution } from '../../../runtime/core/model';
import type { App } from '../../app';
import type { ExecutionQueries } from '../execution-queries';
import type { JournalReader } from '../journal-reader';
import { loopView } from '../loop-views';
import type { Records } from '../records';
import type { StepIndex } from '../step-index';
import type { StepIndexes } from '../step-indexes';
import type { RowSelection, StepRow } from '../step-rows';
import { inputOf } from '../views';
import { type BegunStep, mergedSteps, type MergedStep } from './merged-steps';
import { comparedStep, wasExecuted } from './step-differences';
import { type StepValues, type StoredEntry, ValueComparer, valuesIn } from './step-values';

const DEFAULT_LIMIT = 50;
const DEFAULT_CHANGES = 10;
/** Steps whose values are in memory at a time. */
const STEPS_PER_READ = 25;
/** A window ends before its limit once it has taken this much: it may search far for differences. */
const MAX_COMPARED_STEPS = 2_000;
const MAX_PAYLOAD_CHARS = 8 * 1024 * 1024;
const MAX_MS = 3_000;

/** One of the two runs, with its steps. */
interface Side {
  readonly run: Execution;
  readonly index: StepIndex;
}

type Merged = Awaited<ReturnType<typeof mergedSteps>> extends Generator<void, infer T> ? T : never;

/** Compares two runs of a tenant: a window of their steps, and with the first window their inputs and outputs. */
export function comparison(
  { clock }: Pick<App, 'clock'>,
  records: Pick<Records, 'store'>,
  executions: ExecutionQueries,
  journals: JournalReader,
  indexes: StepIndexes,
) {
  /** By the lists of rows, which stay the same while nothing is added to a run. */
  const kept = new WeakMap<readonly StepRow[], { readonly b: readonly StepRow[]; readonly merged: Merged }>();

  /** @throws AppError invalid_request when neither plan has such a parent */
  async function merged(a: Side, b: Side, selection: RowSelection): Promise<Merged> {
    const { tenantId } = a.run;
    const [rowsA, rowsB] = [await rowsOf(a, selection), await rowsOf(b, selection)];
    if (rowsA === null && rowsB === null)
      throw new AppError('invalid_request', `There are no steps inside ${selection.parent}`, {
        details: [{ path: 'parent', message: 'must be the path of a step with steps inside, or of an item of a loop' }],
      });
    const [listA, listB] = [rowsA ?? [], rowsB ?? []];
    const known = kept.get(listA);
    if (known?.b === listB) return known.merged;
    const made = await runSliced(mergedSteps(listA, listB), tenantId);
    kept.set(listA, { b: listB, merged: made });
    return made;
  }

  const rowsOf = ({ run, index }: Side, selection: RowSelection): Promise<readonly StepRow[] | null> =>
    indexes.rows(index, selection, run.tenantId);

  /** The values of these steps, by path; large ones by reference. */
  async function valuesOf({ run: { id } }: Side, steps: readonly BegunStep[]): Promise<Map<string, StepValues>> {
    const byPath = new Map<string, StoredEntry[]>(steps.map(({ path }) => [path, []]));
    const isWanted = (entry: Entry): boolean => 'path' in entry && byPath.has(entry.path) && HAS_VALUES.has(entry.kind);
    const numbers = steps.flatMap(({ begun }) => begun.records);
    for (const entry of await journals.entriesOf(id, numbers, isWanted, false))
      if ('path' in entry) byPath.get(entry.path)?.push(entry);
    return new Map([...byPath].map(([path, entries]) => [path, valuesIn(entries)]));
  }

  async function compared(
    a: Side,
    b: Side,
    steps: readonly MergedStep[],
    values: ValueComparer,
  ): Promise<ComparedStep[]> {
    // The values of a step that is in one run alone are not compared.
    const both = steps.filter((step) => step.a !== null && step.b !== null);
    const [inA, inB] = await Promise.all([
      valuesOf(
        a,
        both.flatMap((step) => step.a ?? []),
      ),
      valuesOf(
        b,
        both.flatMap((step) => step.b ?? []),
      ),
    ]);
    const made: ComparedStep[] = [];
    for (const step of steps) {
      const [before, after] = [inA.get(step.path), inB.get(step.path)];
      const value = (of: keyof StepValues) =>
        before === undefined || after === undefined
          ? null
          : values.compare({ executionId: a.run.id, stored: before[of] }, { executionId: b.run.id, stored: after[of] });
      const [loopA, loopB] = [await loopIn(a, step.a), await loopIn(b, step.b)];
      const loops = { ...(loopA && { a: loopA }), ...(loopB && { b: loopB }) };
      const executed = step.a !== null && step.b !== null && wasExecuted(step.a) && wasExecuted(step.b);
      const input = executed ? await value('input') : null;
      made.push(comparedStep(step, { loops, input, output: await value('output') }));
    }
    return made;
  }

  const loopIn = async ({ run, index }: Side, step: BegunStep | null) =>
    step === null ? undefined : (await loopView(indexes, run.id, index, step)).loop;

  return async function compare({
    params,
    tenantId,
    call,
  }: ActionContext<'executions.compare'>): Promise<ResultOf<'executions.compare'>> {
    const { id, other, limit = DEFAULT_LIMIT, cursor, parent, differences = false, changes = DEFAULT_CHANGES } = params;
    const [runA, runB] = [await executions.get(tenantId, id), await executions.get(tenantId, other)];
    const a: Side = { run: runA, index: await indexes.of(call, runA) };
    const b: Side = { run: runB, index: await indexes.of(call, runB) };
    const selection: RowSelection = { loops: 'collapsed', ...(parent === undefined ? {} : { parent }) };
    const { steps, positions, onlyInA, onlyInB } = await merged(a, b, selection);
    const values = new ValueComparer(records.store, tenantId, changes);
    const from = startOf(positions, cursor);
    const until = clock.now() + MAX_MS;
    const found: ComparedStep[] = [];
    let at = from;
    do {
      // No more than may be returned, so that what was compared is not compared again.
      const read = steps.slice(at, at + Math.min(STEPS_PER_READ, limit - found.length));
      const next = await compared(a, b, read, values);
      found.push(...next.filter(({ result }) => !differences || result !== 'same'));
      at += read.length;
    } while (
      at < steps.length &&
      found.length < limit &&
      at - from < MAX_COMPARED_STEPS &&
      values.charsRead < MAX_PAYLOAD_CHARS &&
      clock.now() < until
    );
    const isFirst = cursor === undefined;
    return {
      a: comparedRun(runA),
      b: comparedRun(runB),
      same_workflow: runA.workflowId === runB.workflowId,
      same_plan: runA.planHash === runB.planHash,
      input: isFirst ? await values.values(inputOf(runA), inputOf(runB)) : null,
      output: isFirst ? await values.values(runA.output, runB.output) : null,
      steps: found,
      total: steps.length,
      only_in_a: onlyInA,
      only_in_b: onlyInB,
      compared: at,
      next_cursor: at < steps.length ? Buffer.from((steps[at - 1] as MergedStep).path).toString('base64url') : null,
    };
  };
}

/** Kinds of entries with inputs or outputs that are shown. */
const HAS_VALUES = new Set<Entry['kind']>(['step.started', 'step.completed', 'step.failed', 'step.waiting']);

/** @throws AppError invalid_request */
function startOf(positions: ReadonlyMap<string, number>, cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const position = positions.get(Buffer.from(cursor, 'base64url').toString());
  if (position !== undefined) return position + 1;
  throw new AppError('invalid_request', 'Invalid cursor: use next_cursor of a previous answer with the same filter');
}

const comparedRun = (run: Execution): ComparedRun => ({
  id: run.id,
  workflow_def_id: run.workflowId,
  workflow_name: run.workflowName,
  plan_hash: run.planHash,
  status: run.status,
  trigger_type: run.triggerType,
  started_at: new Date(run.startedAt).toISOString(),
  ended_at: run.endedAt === null ? null : new Date(run.endedAt).toISOString(),
  duration_ms: run.endedAt === null ? null : run.endedAt - run.startedAt,
  steps: run.steps,
  tokens: run.tokens,
  cost_usd: run.costUsd,
  error: run.error,
  retry_of: run.retryOf,
});
