import { AppError, errorCode, errorMessage } from '../../lib/errors';
import type { ActionContext } from '../../mixins/service';
import type { App } from '../app';
import type { Call, ResultOf } from '../catalogue';
import type { Executions } from './rows';
import { readQuery } from './visibility';

const MOST = 1_000;
const AT_ONCE = 20;
const MOST_TOLD = 100;

type Asked = ActionContext<'executions.bulk'>['params'];
type Refused = ResultOf<'executions.bulk'>['refused'][number];

/**
 * Does the same to every run that a query means, as the caller could to each of them. What cannot be done to one does
 * not keep it from the others. @throws AppError invalid_query, invalid_request when there are too many
 */
export const inBulk = ({ clock }: Pick<App, 'clock'>, executions: Executions) =>
  async function bulk({
    params,
    tenantId,
    call,
  }: ActionContext<'executions.bulk'>): Promise<ResultOf<'executions.bulk'>> {
    const { query, action, dry_run = false } = params;
    if (action === 'signal' && params.signal === undefined)
      throw new AppError('invalid_request', "'signal' is needed: the name of the signal that is sent");
    const selection = readQuery(query, clock.now());
    const { ids, more } = await executions.select(tenantId, selection, MOST);
    const found = { action, dry_run, matched: ids.length, more };
    if (dry_run) return { ...found, accepted: 0, refused: [] };
    if (more) {
      throw new AppError('invalid_request', `More than ${MOST} executions match; narrow the query, best by StartTime`);
    }
    const refused: Refused[] = [];
    for (let at = 0; at < ids.length; at += AT_ONCE) {
      const tried = ids.slice(at, at + AT_ONCE).map((id) => refusalOf(id, () => act(call, params, id)));
      refused.push(...(await Promise.all(tried)).flatMap((each) => each ?? []));
    }
    return { ...found, accepted: ids.length - refused.length, refused: refused.slice(0, MOST_TOLD) };
  };

/** By the menu itself, so that roles, rules and the audit log are those of a single one. */
function act(
  call: Call,
  { action, signal = '', data, from_step, input, use_latest, idempotency_key: key }: Asked,
  id: string,
): Promise<unknown> {
  switch (action) {
    case 'cancel':
      return call('executions.cancel', { id });
    case 'retry':
      // Where nobody knows how far it came, the gateway lets it be done again: each run is retried once all the same.
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
