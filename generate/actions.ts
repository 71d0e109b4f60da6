import { type ActionName, ACTIONS } from '../contracts/catalogue';
import { type JsonSchema, nothing } from '../lib/schema';
import { schemaOfParams } from './params';

/** The JSON Schema of the params of an action. */
export const paramsSchemaOf = (action: ActionName): JsonSchema => schemaOfParams(ACTIONS[action].params, action);

/** The JSON Schema of an action's result; null for one that answers nothing. */
export const resultSchemaOf = (action: ActionName): JsonSchema | null => {
  const { result } = ACTIONS[action];
  return result === nothing ? null : result.json;
};
