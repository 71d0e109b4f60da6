import type { ConfigFinding } from '../../../dsl';
import type { JsonObject } from '../../../lib/json';
import { faultsIn, fieldsIn, fieldsOfEach } from '../readings';

/** Fields that are no paths. */
export const check = ({ operations, group_by }: JsonObject): ConfigFinding[] =>
  faultsIn([...fieldsOfEach(operations, 'operations'), ...fieldsIn(group_by, 'group_by')]);
