import { addressOf } from '../../dsl';
import { AppError } from '../../lib/errors';
import type { ActionContext } from '../../mixins/service';
import type { Entry, StepEntry } from '../../runtime/core/entries/entry';
import type { Execution } from '../../runtime/core/model';
import type { Call, ResultOf } from '../../contracts/catalogue';
import type { TimelineSpan } from '../../contracts/executions/views';
import { cutValues, RUN_VALUES, STEP_VALUES } from './cut-values';
import type { Feedback } from './feedback';
import type { JournalReader } from './journal-reader';
import type { ExecutionQueries } from './execution-queries';
import { loopView } from './loop-views';
import type { StepIndex } from './step-index';
import type { StepIndexes } from './step-indexes';
import type { RowSelection, StepRow } from './step-rows';
import { totalsByStep } from './step-overview';
import { type Include, INCLUDES, stepOverview, stepSummaryView, stepView } from './step-views';
import { pendingSummary } from './step-summary';
import { spansOf } from './timeline';
import { runSliced, TimeSlice } from '../../lib/time-slices';
import { executionView } from './views';

const DEFAULT_PAGE = 1_000;
const MAX_SPANS = 5_000;

interface Window {
  readonly limit?: number;
  readonly offset?: number;
  readonly cursor?: string;
}

/** A run with its steps. */
export function details(
  executions: ExecutionQueries,
  journals: JournalReader,
  indexes: StepIndexes,
  feedback: Feedback,
) {
  /** @throws AppError invalid_request when the plan has no such parent */
  async function rowsOf(
    { tenantId }: Execution,
    index: StepIndex,
    selection: RowSelection,
  ): Promise<readonly StepRow[]> {
    const rows = await indexes.rows(index, selection, tenantId);
    if (rows !== null) return rows;
    throw new AppError('invalid_request', `There are no steps inside ${selection.parent}`, {
      details: [{ path: 'parent', message: 'must be the path of a step with steps inside, or of an item of a loop' }],
    });
  }

  /** The entries of rows by path. `values`: without it, large values are left out. */
  async function entriesOf(id: string, rows: readonly StepRow[], values: boolean): Promise<Map<string, StepEntry[]>> {
    const byPath = new Map<string, StepEntry[]>(rows.map(({ path }) => [path, []]));
    const numbers = rows.flatMap(({ begun }) => begun?.records ?? []);
    const isWanted = (entry: Entry): boolean => 'path' in entry && byPath.has(entry.path);
    for (const entry of await journals.entriesOf(id, numbers, isWanted, values))
      if ('path' in entry) byPath.get(entry.path)?.push(entry);
    return byPath;
  }

  async function spansOfRows(run: Execution, index: StepIndex, rows: readonly StepRow[]): Promise<TimelineSpan[]> {
    const entries = await entriesOf(run.id, rows, false);
    const spans: TimelineSpan[] = [];
    const slice = new TimeSlice(run.tenantId);
    for (const row of rows) {
      const loop = await loopView(indexes, run.id, index, row);
      for (const span of spansOf({ ...row, entries: entries.get(row.path) ?? [] })) spans.push({ ...span, ...loop });
      if (slice.due) await slice.pause();
    }
    return spans;
  }

  return {
    /**
     * The periods in which each step of a run ran, waited or was paused: a window of rows in the order of the document, or
     * the first spans sorted by start.
     */
    async timeline(ctx: ActionContext<'executions.timeline'>): Promise<ResultOf<'executions.timeline'>> {
      const { id, limit, offset, cursor, ...selection } = ctx.params;
      const run = await executions.get(ctx.tenantId, id);
      const index = await indexes.of(ctx.call, run);
      const all = (await rowsOf(run, index, selection)).filter(hasSpans);
      const { status, started_at, ended_at } = executionView(run);
      const execution = { execution_id: id, status, started_at, ended_at, pauses: index.pauses.views };
      if ((limit ?? offset ?? cursor ?? selection.parent ?? selection.loops) !== undefined) {
        const { rows, next } = windowOf(all, { limit, offset, cursor });
        const spans = await spansOfRows(run, index, rows);
        return { ...execution, spans, truncated: next !== null, total: all.length, next_cursor: next };
      }
      const first = all.sort((a, b) => begunAt(a) - begunAt(b)).slice(0, MAX_SPANS);
      const spans = await spansOfRows(run, index, first);
      spans.sort((a, b) => a.started_at.localeCompare(b.started_at));
      const truncated = spans.length > MAX_SPANS || all.length > first.length;
      return { ...execution, spans: spans.slice(0, MAX_SPANS), truncated, total: all.length, next_cursor: null };
    },

    /** The addresses of a step in the journal of a run; several for a step in a loop. */
    async addressesOf(call: Call, execution: Execution, stepId: string): Promise<string[]> {
      const index = await indexes.of(call, execution);
      return (await rowsOf(execution, index, { step_id: stepId })).map(({ path }) => addressOf(path));
    },

    /** Prepares the first view of a long run that has ended; answers before it is done. */
    async indexSteps(ctx: ActionContext<'executions.index_steps'>): Promise<ResultOf<'executions.index_steps'>> {
      indexes.prepare(ctx.call, await executions.get(ctx.tenantId, ctx.params.id));
      return { accepted: true };
    },

    /** Whether a run has an entry of the step at a path. */
    hasBegun: async (call: Call, execution: Execution, path: string): Promise<boolean> =>
      (await indexes.of(call, execution)).steps.has(path),

    /** One row for each step of the document, whatever the number of its items. */
    async overview(ctx: ActionContext<'executions.overview'>): Promise<ResultOf<'executions.overview'>> {
      const run = await executions.get(ctx.tenantId, ctx.params.id);
      const index = await indexes.of(ctx.call, run);
      const totals = await runSliced(totalsByStep(index), ctx.tenantId);
      const steps = await Promise.all(
        [...index.plan.byPath.values()].map(async (step) => {
          const begun = index.steps.get(step.path) ?? null;
          return {
            ...stepOverview(step, totals.get(step.path)),
            ...(await loopView(indexes, run.id, index, { path: step.path, step, begun })),
          };
        }),
      );
      const { status, started_at, ended_at } = executionView(run);
      return { execution_id: run.id, status, started_at, ended_at, steps };
    },

    /** A window of the steps, in the order of the document. */
    async detail(ctx: ActionContext<'executions.detail'>): Promise<ResultOf<'executions.detail'>> {
      const { id, include = '', values = true, max_value_chars: maxChars, ...window } = ctx.params;
      const { limit = DEFAULT_PAGE, offset = 0, cursor, ...selection } = window;
      const execution = await executions.get(ctx.tenantId, id);
      const [index, rated] = await Promise.all([indexes.of(ctx.call, execution), feedback.of(ctx.tenantId, id)]);
      const all = await rowsOf(execution, index, selection);
      const { rows, next, from } = windowOf(all, { limit, offset, cursor });
      const includes = includesIn(include);
      const entries = values || includes.size > 0 ? await entriesOf(id, rows, true) : null;
      const steps = await Promise.all(
        rows.map(async (row) => {
          const { path, step, begun } = row;
          const view =
            entries === null
              ? stepSummaryView(path, step, begun?.summary ?? pendingSummary())
              : stepView({ path, step, entries: entries.get(path) ?? [] }, includes);
          const loop = await loopView(indexes, id, index, row);
          return { ...cutValues(view, STEP_VALUES, maxChars), ...loop, feedback: rated.get(addressOf(path)) ?? null };
        }),
      );
      const view = cutValues(executionView(execution), RUN_VALUES, maxChars);
      return {
        execution: values ? view : { ...view, trigger: null, input: null, output: null },
        steps,
        total: all.length,
        limit,
        offset: from,
        next_cursor: next,
      };
    },
  };
}

/** A step that was skipped took no time. */
const hasSpans = ({ begun }: StepRow): boolean => begun !== null && begun.summary.status !== 'skipped';

const begunAt = ({ begun }: StepRow): number => begun?.begunAt ?? 0;

/** The cursor is the path of the last row of the page before. @throws AppError invalid_request */
function windowOf(
  rows: readonly StepRow[],
  { limit = DEFAULT_PAGE, offset = 0, cursor }: Window,
): { rows: readonly StepRow[]; from: number; next: string | null } {
  const from = cursor === undefined ? offset : rows.findIndex(({ path }) => path === pathOf(cursor)) + 1;
  if (cursor !== undefined && from === 0)
    throw new AppError('invalid_request', 'Invalid cursor: use next_cursor of a previous answer with the same filter');
  const page = rows.slice(from, from + limit);
  const last = page.at(-1);
  const hasMore = last !== undefined && from + page.length < rows.length;
  return { rows: page, from, next: hasMore ? Buffer.from(last.path).toString('base64url') : null };
}

const pathOf = (cursor: string): string => Buffer.from(cursor, 'base64url').toString();

/** Unknown words are ignored, like unknown fields of requests. */
function includesIn(text: string): ReadonlySet<Include> {
  const words = new Set(text.split(','));
  return new Set(INCLUDES.filter((include) => words.has(include)));
}
