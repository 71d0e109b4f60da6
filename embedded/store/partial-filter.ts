import { compare, equals, rank } from '../bson/compare';
import { type Doc, isDoc, type Value } from '../bson/value';
import type { Bound, Limit } from '../query/analyze';
import { encode } from '../bson/encode';
import { compileFilter, compileRawFilter } from '../query/matcher';

/**
 * True when every document that matches `filter` also matches a partial index's filter. Each condition of the index
 * must be in the filter literally, or follow from one of its bounds.
 */
export function implies(filter: Doc, bounds: readonly Bound[], indexFilter: Doc): boolean {
  return conditions(indexFilter).every(
    ([path, condition]) =>
      standsIn(filter, path, condition) ||
      bounds.some((bound) => bound.path === path && follows(bound, path, condition)),
  );
}

/** A condition that the partial filters of several indexes may have in common. */
export type SharedCondition = (bytes: Uint8Array) => boolean;

const shared = new Map<string, SharedCondition>();

/** The conditions of a partial filter. Equal ones are the same function, so that a document can be tested once for all. */
export const sharedConditions = (filter: Doc): SharedCondition[] =>
  conditions(filter).map((condition) => {
    const single: Doc = new Map([condition]);
    const name = encode(single).toString('latin1');
    let test = shared.get(name);
    if (test === undefined) shared.set(name, (test = compileRawFilter(single)));
    return test;
  });

/** Results of the conditions for one document. */
export type Tested = Map<SharedCondition, boolean>;

/** Whether a document meets all conditions. */
export function meetsAll(conditions: readonly SharedCondition[], bytes: Uint8Array, tested: Tested): boolean {
  for (const condition of conditions) {
    let result = tested.get(condition);
    if (result === undefined) tested.set(condition, (result = condition(bytes)));
    if (!result) return false;
  }
  return true;
}

type Condition = readonly [path: string, condition: Value];

/** The conditions of a conjunction, one per path and operator. */
function conditions(filter: Doc): Condition[] {
  return [...filter].flatMap(([name, value]): Condition[] => {
    if (name === '$and' && Array.isArray(value)) return value.flatMap((part) => (isDoc(part) ? conditions(part) : []));
    if (!isOperators(value)) return [[name, value]];
    return [...value].map(([operator, operand]): Condition => [name, new Map([[operator, operand]])]);
  });
}

const isOperators = (value: Value): value is Doc => isDoc(value) && [...value.keys()][0]?.startsWith('$') === true;

function standsIn(filter: Doc, path: string, condition: Value): boolean {
  return conditions(filter).some(([other, its]) => other === path && equals(its, condition));
}

/** Whether every value within the bound meets the condition. Both are about a single element. */
function follows(bound: Bound, path: string, condition: Value): boolean {
  if (path.startsWith('$')) return false;
  switch (bound.kind) {
    case 'eq':
      return meets(bound.value, condition);
    case 'in':
      return bound.values.every((value) => meets(value, condition));
    case 'exists':
      return isDoc(condition) && condition.has('$exists');
    case 'range':
      return rangeFollows(bound.min, bound.max, condition);
  }
}

/** Null also matches a missing field, for which a condition on null implies nothing. */
function meets(value: Value, condition: Value): boolean {
  if (value === null || Array.isArray(value)) return false;
  return compileFilter(new Map([['field', condition]]))(new Map([['field', value]]));
}

function rangeFollows(min: Limit | undefined, max: Limit | undefined, condition: Value): boolean {
  if (!isDoc(condition)) return false;
  const [operator, operand] = [...condition][0] as [string, Value];
  const sample = min ?? max;
  if (sample === undefined) return false;
  if (operator === '$exists') return sample.value !== null;
  if (rank(sample.value) !== rank(operand)) return false;
  if (operator === '$gt' || operator === '$gte') return within(min, operand, operator === '$gte', 1);
  if (operator === '$lt' || operator === '$lte') return within(max, operand, operator === '$lte', -1);
  return false;
}

/** Whether the limit is at least as strict as the operand. `way` is 1 for lower limits, -1 for upper ones. */
function within(limit: Limit | undefined, operand: Value, inclusive: boolean, way: 1 | -1): boolean {
  if (limit === undefined) return false;
  const order = compare(limit.value, operand) * way;
  return order > 0 || (order === 0 && (inclusive || !limit.inclusive));
}
