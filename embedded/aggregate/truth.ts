import { isNumeric, toDouble } from '../bson/numeric';
import { type Maybe, UNDEFINED } from '../bson/value';

/** What counts as true in an expression: all but false, zero, null, undefined and missing. NaN is true. */
export function truthy(value: Maybe): boolean {
  if (value === undefined || value === null || value === false || value === UNDEFINED) return false;
  return value === true || !isNumeric(value) || toDouble(value) !== 0;
}
