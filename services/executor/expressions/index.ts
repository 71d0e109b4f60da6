import { randomBytes } from 'node:crypto';
import type { ResultOf } from '../../../contracts/catalogue';
import { AppError } from '../../../lib/errors';
import type { Json, JsonObject } from '../../../lib/json';
import { KeyedMutex } from '../../../lib/keyed-mutex';
import type { ActionContext } from '../../../mixins/service';
import { redactPlaceholders } from '../../../runtime/core/secrets/secret-redactor';
import { evaluationEnvironment } from '../../../runtime/core/state/run-context';
import { viewAt, withFixture } from '../../../runtime/core/state/step-view';
import { runContextOf } from '../../../runtime/worker/run-context-of';
import type { App } from '../../app';
import type { ExecutionQueries } from '../execution-queries';
import type { JournalReader } from '../journal-reader';
import type { Records } from '../records';
import { evaluateAll, type Roots } from './evaluate';
import { lazily, outputsOf } from './outputs';
import { positionOf, stateAfter } from './run-view';

type Context = ActionContext<'executions.evaluate'>;

/** Calls of a tenant that wait for another one to read a run. */
const MAX_WAITING = 20;

/** Evaluates expressions outside of runs, with the data of one. */
export function expressions(app: App, records: Records, executions: ExecutionQueries, journals: JournalReader) {
  /** A tenant reads one run at a time, because a journal may be large. */
  const mutex = new KeyedMutex();

  /** The roots as a step of a run sees them; secrets are masked. @throws AppError not_found */
  async function rootsOf(ctx: Context, executionId: string): Promise<Roots> {
    const { tenantId, params } = ctx;
    const execution = await executions.get(tenantId, executionId);
    const [plan, vars, entries] = await Promise.all([
      records.plan(ctx, tenantId, execution.planHash),
      records.vars(ctx, tenantId),
      journals.after(executionId, 0),
    ]);
    const { path, before } = positionOf(plan, entries, params.context?.step_id, params.dsl);
    const state = await stateAfter(entries, before, tenantId);
    const context = runContextOf(execution, plan, vars, () => '');
    const view = withFixture(viewAt(plan, state, path), context.fixture);
    const env = evaluationEnvironment(context, view, 1, {
      now: app.clock.now(),
      random: (bytes) => randomBytes(bytes),
    });
    const root = memoized((name) => masked(env.root(name)));
    // Each output is read only where an expression uses it.
    const steps = once(() => lazily(env.root('steps') ?? {}, redactPlaceholders));
    return (name) => (name === 'steps' ? steps() : root(name));
  }

  async function evaluate({ params, tenantId }: Context, run: Roots): Promise<ResultOf<'executions.evaluate'>> {
    const given = (params.context?.sample ?? {}) as JsonObject;
    const steps = once(() => outputsOf(params.dsl, (run('steps') ?? {}) as JsonObject, given.steps));
    const roots: Roots = (name) => {
      if (name === 'steps') return steps();
      return Object.hasOwn(given, name) ? given[name] : run(name);
    };
    const lane = app.compute.lane(tenantId);
    return { results: await evaluateAll(lane, params.items, roots, () => app.clock.now()) };
  }

  return async (ctx: Context): Promise<ResultOf<'executions.evaluate'>> => {
    const { params, tenantId } = ctx;
    const executionId = params.context?.execution_id;
    if (executionId === undefined) return evaluate(ctx, await withoutRun(records, ctx));
    if (mutex.countOf(tenantId) > MAX_WAITING)
      throw new AppError('rate_limited', 'Too many expressions are evaluated with the data of runs; try again', {
        retry_after: 1,
      });
    return mutex.run(tenantId, async () => evaluate(ctx, await rootsOf(ctx, executionId)));
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
