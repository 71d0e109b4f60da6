import { hashJsonSliced } from '../../lib/json/hash-sliced';
import { AppError } from '../../lib/errors';
import { timeId } from '../../lib/ids';
import type { ActionContext } from '../../mixins/service';
import type { StartResult } from '../../contracts/executions/views';
import type { GatheringRule } from '../../runtime/core/decide/gathering';
import type { Execution } from '../../runtime/core/model';
import type { NewExecution } from '../../runtime/worker/deps';
import type { Gathered, GatheringStart } from '../../runtime/worker/gatherings';
import type { App } from '../app';
import { countStart } from './metering';
import { triggerOf } from './new-run';
import type { Records } from './records';
import { MISMATCH, comparedOf } from './same-start';
import { answer, notStored, replay } from './start-answers';
import type { StartReservation } from './usage/meter';

interface Starting {
  readonly app: App;
  readonly records: Records;
  readonly ctx: ActionContext<'executor.start' | 'executions.accept'>;
  readonly place: StartReservation;
}

/**
 * Gives a start to the run that gathers the starts of its key. The run is stored when the call resolves; with `wait_ms`, waits
 * for its end or the timeout. Only a run that is new counts as one. @throws AppError idempotency_mismatch, unavailable
 */
export async function gatherRun(
  { app, records, ctx, place }: Starting,
  { fresh, rule }: { readonly fresh: NewExecution; readonly rule: GatheringRule },
  gather: (start: GatheringStart) => Promise<Gathered>,
): Promise<StartResult> {
  const { params, tenantId } = ctx;
  const digest = params.same === undefined ? null : await hashJsonSliced(comparedOf(params.same, triggerOf(params)));
  const start = { fresh, rule, digest, repeatable: params.fresh !== true, newId: () => timeId(app.clock.now()) };
  const gathered = await gather(start).catch((fault: unknown) => {
    // The outcome of the writes is unknown; the next usage read corrects the count.
    place.settle(true);
    throw fault instanceof AppError ? fault : notStored(ctx, fault);
  });
  place.settle(gathered.kind === 'created');
  if (gathered.kind === 'created') countStart(app.metrics, params.trigger_type);
  // It had a run of its own before the workflow gathered starts.
  if (gathered.id === fresh.id) return replay(app, records, tenantId, params);
  if (gathered.kind === 'known' && gathered.digest !== digest) throw new AppError('idempotency_mismatch', MISMATCH);
  const look = async (): Promise<Execution> => {
    const execution = await records.store.load(gathered.id);
    if (execution?.tenantId === tenantId) return execution;
    throw new AppError('conflict', 'The run of this start has been removed');
  };
  const deadline = app.clock.now() + (params.wait_ms ?? 0);
  const execution = await records.settled(deadline, gathered.id, records.asHost, look);
  return answer(execution, params, gathered.kind === 'known' && params.fresh !== true);
}
