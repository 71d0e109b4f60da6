import type { ConfigFinding } from '../../../dsl';
import type { JsonObject } from '../../../lib/json';
import { faultsIn, fieldsOfEach, memberOf, readingsOfEach } from '../readings';
import { compilePattern } from './condition';

/** Fields that are no paths, and patterns that are no regular expressions. */
export const check = ({ conditions }: JsonObject): ConfigFinding[] =>
  faultsIn([
    ...fieldsOfEach(conditions, 'conditions'),
    ...readingsOfEach(conditions, 'conditions', (condition, path) => {
      const operator = memberOf(condition, 'operator');
      const patterned = operator === 'matches' || operator === 'not_matches';
      return patterned ? [[`${path}.value`, memberOf(condition, 'value'), compilePattern]] : [];
    }),
  ]);
