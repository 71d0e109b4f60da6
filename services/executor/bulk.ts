import { AppError, errorCode, errorMessage } from '../../lib/errors';
import type { ActionContext } from '../../mixins/service';
import type { App } from '../app';
import type { Call, ResultOf } from '../../contracts/catalogue';
import type { ExecutionQueries } from './execution-queries';
import { readQuery } from './visibility';

const MAX_EXECUTIONS = 1_000;
const AT_ONCE = 20;
const MAX_LISTED_REFUSALS = 100;

type BulkParams = ActionContext<'executions.bulk'>['params'];
type Refused = ResultOf<'executions.bulk'>['refused'][number];

/**
 * Applies one action to every run that matches a query. Continues after a run that refuses it.
 * @throws AppError invalid_query, invalid_request when more than 1,000 runs match
 */
export const bulkAction = ({ clock }: Pick<App, 'clock'>, executions: ExecutionQueries) =>
  async function bulk({
    params,
    tenantId,
    call,
    folders,
  }: ActionContext<'executions.bulk'>): Promise<ResultOf<'executions.bulk'>> {
    const { query, action, dry_run = false } = params;
    if (action === 'signal' && params.signal === undefined)
      throw new AppError('invalid_request', "'signal' is needed: the name of the signal that is sent");
    const selection = readQuery(query, clock.now());
    const { ids, more } = await executions.select(
      tenantId,
      selection,
      MAX_EXECUTIONS,
      await folders.visible('workflow_id', 'run'),
    );
    const found = { action, dry_run, matched: ids.length, more };
    if (dry_run) return { ...found, accepted: 0, refused: [] };
    if (more) {
      throw new AppError(
        'invalid_request',
        `More than ${MAX_EXECUTIONS} executions match; narrow the query, best by StartTime`,
      );
    }
    const refused: Refused[] = [];
    for (let at = 0; at < ids.length; at += AT_ONCE) {
      const tried = ids.slice(at, at + AT_ONCE).map((id) => refusalOf(id, () => act(call, params, id)));
      refused.push(...(await Promise.all(tried)).flatMap((each) => each ?? []));
    }
    return { ...found, accepted: ids.length - refused.length, refused: refused.slice(0, MAX_LISTED_REFUSALS) };
  };

/** Calls the action for a single run, so that the same roles, rules and audit events apply. */
function act(
  call: Call,
  { action, signal = '', data, from_step, input, use_latest, reason, idempotency_key: key }: BulkParams,
  id: string,
): Promise<unknown> {
  switch (action) {
    case 'cancel':
      return call('executions.cancel', { id });
    case 'pause':
    case 'resume':
      return call(`executions.${action}`, { id, reason });
    case 'retry':
      // A client may repeat the request after a failure. The derived key retries each run only once.
      return call('executions.retry', {
        id,
        from_step,
        input,
        use_latest,
        ...(key === undefined ? {} : { idempotency_key: `bulk ${key}` }),
      });
    case 'signal':
      return call('executions.signal', { id, signal, data });
  }
}

async function refusalOf(execution_id: string, act: () => Promise<unknown>): Promise<Refused | null> {
  try {
    await act();
    return null;
  } catch (fault) {
    return { execution_id, code: errorCode(fault) ?? 'internal', message: errorMessage(fault) };
  }
}
