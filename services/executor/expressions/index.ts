import { randomBytes } from 'node:crypto';
import type { ResultOf } from '../../../contracts/catalogue';
import { AppError } from '../../../lib/errors';
import { isObject, type Json, type JsonObject } from '../../../lib/json';
import { KeyedMutex } from '../../../lib/keyed-mutex';
import { runSliced } from '../../../lib/time-slices';
import type { ActionContext } from '../../../mixins/service';
import { redactPlaceholders } from '../../../runtime/core/secrets/secret-redactor';
import { evaluationEnvironment } from '../../../runtime/core/state/run-context';
import { viewAt, withFixture } from '../../../runtime/core/state/step-view';
import { runContextOf } from '../../../runtime/worker/run-context-of';
import type { App } from '../../app';
import { type ExecutionQueries, notFound } from '../execution-queries';
import type { JournalReader } from '../journal-reader';
import type { Records } from '../records';
import type { StepIndexes } from '../step-indexes';
import { compileAll, evaluateAll, type Roots } from './evaluate';
import { type Used, usedBy } from './needed';
import { lazily, outputsOf } from './outputs';
import { positionOf } from './position';
import { stateFor } from './state';

type Context = ActionContext<'executions.evaluate'>;
type Result = ResultOf<'executions.evaluate'>;
type Items = Awaited<ReturnType<typeof compileAll>>;

const sampleOf = ({ context }: Context['params']): JsonObject => context?.sample ?? {};

/** Calls of a tenant that wait for another one to read a run. */
const MAX_WAITING = 20;

interface Deps {
  readonly records: Records;
  readonly executions: ExecutionQueries;
  readonly journals: JournalReader;
  readonly indexes: StepIndexes;
}

/** Evaluates expressions outside of runs, with the data of one. */
export function expressions(app: App, { records, executions, journals, indexes }: Deps) {
  /** A tenant reads one run at a time, because outputs may be large. */
  const mutex = new KeyedMutex();

  /** The roots as a step of a run sees them; secrets are masked. @throws AppError not_found, payload_too_large */
  async function rootsOf(ctx: Context, executionId: string, used: Used): Promise<Roots> {
    const { tenantId, params } = ctx;
    const execution = await executions.get(tenantId, executionId);
    await ctx.folders.assertWorkflow(execution.workflowId, 'view', () => notFound(executionId));
    const [index, vars] = await Promise.all([indexes.of(ctx.call, execution), records.vars(ctx, tenantId)]);
    const position = await runSliced(positionOf(index, params.context?.step_id, params.dsl), tenantId);
    const state = await stateFor(journals, execution, index, position, used);
    const context = runContextOf(execution, index.plan, vars, () => '');
    const view = withFixture(viewAt(index.plan, state, position.path), context.fixture);
    const env = evaluationEnvironment(context, view, 1, {
      now: app.clock.now(),
      random: (bytes) => randomBytes(bytes),
    });
    const root = memoized((name) => masked(env.root(name)));
    // Each output is read only where an expression uses it.
    const steps = once(() => lazily(env.root('steps') ?? {}, redactPlaceholders));
    return (name) => (name === 'steps' ? steps() : root(name));
  }

  async function evaluate({ params, tenantId }: Context, items: Items, run: Roots): Promise<Result> {
    const given = sampleOf(params);
    const steps = once(() => outputsOf(params.dsl, (run('steps') ?? {}) as JsonObject, given.steps));
    const roots: Roots = (name) => {
      if (name === 'steps') return steps();
      return Object.hasOwn(given, name) ? given[name] : run(name);
    };
    const lane = app.compute.lane(tenantId);
    return { results: await evaluateAll(lane, items, roots, () => app.clock.now()) };
  }

  return async (ctx: Context): Promise<Result> => {
    const { params, tenantId } = ctx;
    const executionId = params.context?.execution_id;
    const items = await compileAll(params.items);
    if (executionId === undefined) return evaluate(ctx, items, await withoutRun(records, ctx));
    const { steps } = sampleOf(params);
    const templates = items.flatMap((item) => ('template' in item ? [item.template] : []));
    const used = usedBy(templates, isObject(steps) ? Object.keys(steps) : []);
    if (mutex.countOf(tenantId) > MAX_WAITING)
      throw new AppError('rate_limited', 'Too many expressions are evaluated with the data of runs; try again', {
        retry_after: 1,
      });
    return mutex.run(tenantId, async () => evaluate(ctx, items, await rootsOf(ctx, executionId, used)));
  };
}

/** Without a run there are the tenant's constants. */
async function withoutRun(records: Records, ctx: Context): Promise<Roots> {
  const vars = await records.vars(ctx, ctx.tenantId);
  return (name) => (name === 'vars' ? vars : name === 'trigger' || name === 'steps' ? {} : undefined);
}

const masked = (value: Json | undefined): Json | undefined =>
  value === undefined ? undefined : redactPlaceholders(value);

function memoized(root: Roots): Roots {
  const known = new Map<string, Json | undefined>();
  return (name) => {
    if (!known.has(name)) known.set(name, root(name));
    return known.get(name);
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
