import { AppError } from '../../lib/errors';
import type { ActionContext } from '../../mixins/service';
import { recordWaiter } from '../../runtime/worker/concurrency-groups';
import { INITIAL_FIELDS } from '../../runtime/worker/deps';
import type { GatheringStart } from '../../runtime/worker/gatherings';
import type { Execution } from '../../runtime/core/model';
import type { App } from '../app';
import type { StartResult } from '../../contracts/executions/views';
import type { Engine } from './engine';
import type { Records } from './records';
import { gatherRun } from './gathered-start';
import { countStart } from './metering';
import { newRun } from './new-run';
import { answer, endOf, notStored, replay, whenStored } from './start-answers';

/** A longer run may move to another host, so a longer wait polls the document. */
const MAX_LOCAL_WAIT_MS = 500;
/** How long a run whose caller waits until it is stored may run before that, if it has no effect. */
const MAX_UNSTORED_MS = 2;

/**
 * Starts a run on this host. The run is stored when the call resolves. With `wait_ms`, waits for its end, the timeout or the
 * shutdown of this process.
 */
export async function startRun(app: App, engine: Engine, ctx: ActionContext<'executor.start'>): Promise<StartResult> {
  const { params, tenantId } = ctx;
  const { records } = engine;
  const plan = await records.plan(ctx, tenantId, params.plan_hash);
  const { fresh, place, rule } = await newRun(app, records, ctx, plan);
  if (rule !== null) {
    const gather = (start: GatheringStart) => engine.host.gather(start);
    return gatherRun({ app, records, ctx, place }, { fresh, rule }, gather);
  }
  const deadline = app.clock.now() + (params.wait_ms ?? 0);
  const end =
    params.wait_ms === undefined ? null : engine.ends.within(fresh.id, Math.min(params.wait_ms, MAX_LOCAL_WAIT_MS));
  // No other caller knows a fresh id, so the run is stored only before its first effect or the answer: a short run is one
  // write. A start that is repeated at another host meanwhile is harmless: the id is stored once, and no effect happens
  // before.
  const storeWithinMs = params.fresh !== true ? 0 : end === null ? MAX_UNSTORED_MS : Number.POSITIVE_INFINITY;
  const began = await engine.host.begin(fresh, plan, storeWithinMs).catch((fault: unknown) => {
    // The outcome of the write is unknown; the next usage read corrects the count.
    place.settle(true);
    throw notStored(ctx, fault);
  });
  place.settle(began !== 'exists');
  if (began === 'exists') return replay(app, records, tenantId, params);
  countStart(app.metrics, params.trigger_type);
  if (end === null) return answer(endOf(fresh, null), params);
  const ending = await end;
  if (ending !== null) return answer(endOf(fresh, ending), params);
  const look = async () => (await whenStored(app, records, fresh.id, deadline)) ?? endOf(fresh, null);
  return answer(await records.settled(deadline, fresh.id, records.asHost, look), params);
}

/** Stores a run that any host may start. Does not wait for its end. */
export async function enqueueRun(
  app: App,
  records: Records,
  ctx: ActionContext<'executions.accept'>,
): Promise<StartResult> {
  const { params, tenantId } = ctx;
  const plan = await records.plan(ctx, tenantId, params.plan_hash);
  const { fresh, place, rule } = await newRun(app, records, ctx, plan);
  if (rule !== null) {
    const gather = (start: GatheringStart) => records.gatherer.add(start);
    return gatherRun({ app, records, ctx, place }, { fresh, rule }, gather);
  }
  const waiting = [{ step_id: null, kind: 'capacity', name: null, since: place.at, until: null } as const];
  const execution: Execution = { ...fresh, waiting, owner: null, epoch: 0, wakeAt: place.at, ...INITIAL_FIELDS };
  const inserted = await insertWaiting(app, records, execution).catch((fault: unknown) => {
    place.settle(true);
    throw notStored(ctx, fault);
  });
  place.settle(inserted !== 'exists');
  if (inserted === 'exists') return replay(app, records, tenantId, params);
  countStart(app.metrics, params.trigger_type);
  return answer(execution, params);
}

async function insertWaiting(app: App, records: Records, execution: Execution): Promise<'inserted' | 'exists'> {
  const { store, groups } = records;
  const inserted = await store.insert(execution);
  await recordWaiter({ store, groups, clock: app.clock }, execution, inserted);
  return inserted;
}

/** Waits until a run has ended or the time is up. Returns the run. @throws AppError not_found */
export async function waitForEnd(
  app: App,
  records: Records,
  { params, tenantId }: ActionContext<'executions.settled'>,
): Promise<StartResult> {
  const { id, wait_ms } = params;
  const look = async (): Promise<Execution> => {
    const execution = await records.store.load(id);
    if (execution?.tenantId === tenantId) return execution;
    throw new AppError('not_found', `There is no execution ${id}`);
  };
  return answer(await records.settled(app.clock.now() + wait_ms, id, records.asFront, look), params);
}
