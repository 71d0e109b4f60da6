import type { Call } from '../../../contracts/catalogue';
import { AppError } from '../../../lib/errors';
import { isObject, type JsonObject } from '../../../lib/json';

/** The trigger of a run of the caller's tenant whose outputs are taken. @throws AppError not_found, conflict */
export async function triggerOfRun(call: Call, id: string): Promise<JsonObject> {
  const { trigger, trigger_type } = await call('executions.get', { id });
  if (trigger_type === 'test')
    throw new AppError('conflict', `Execution ${id} was the test of a step; take a run of a whole document`);
  return isObject(trigger) ? trigger : {};
}
