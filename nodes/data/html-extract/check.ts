import type { ConfigFinding } from '../../../dsl';
import { isObject, type Json, type JsonObject } from '../../../lib/json';
import { Budget } from '../budget';
import { compileSelector } from '../html/select';
import { faultsIn, memberOf, type Reading } from '../readings';

/** Selectors that cannot be read, those of fields too. */
export const check = ({ selectors }: JsonObject): ConfigFinding[] => faultsIn(readingsOf(selectors, 'selectors'));

function readingsOf(extractions: Json | undefined, path: string): Reading[] {
  if (!isObject(extractions)) return [];
  return Object.entries(extractions).flatMap(([name, extraction]): Reading[] => [
    [`${path}.${name}.selector`, memberOf(extraction, 'selector'), (text) => compileSelector(text, new Budget())],
    ...readingsOf(memberOf(extraction, 'fields'), `${path}.${name}.fields`),
  ]);
}
