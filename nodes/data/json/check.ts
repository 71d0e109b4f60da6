import type { ConfigFinding } from '../../../dsl';
import type { JsonObject } from '../../../lib/json';
import { fieldPath } from '../field';
import { faultsIn, fieldsIn } from '../readings';

/** Fields that are no paths. */
export const check = ({ path, fields }: JsonObject): ConfigFinding[] =>
  faultsIn([['path', path, fieldPath], ...fieldsIn(fields, 'fields')]);
