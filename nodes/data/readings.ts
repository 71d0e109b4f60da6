import { compileTemplate, type ConfigFinding, ExpressionError } from '../../dsl';
import { isObject, type Json } from '../../lib/json';
import { Refusal } from './computed';
import { fieldPath } from './field';

/** A text of a configuration at its path, and the function that must be able to parse it. */
export type Reading = readonly [path: string, value: Json | undefined, read: (text: string) => unknown];

/** Faults, when a workflow is saved, of texts that a run would refuse. Texts with expressions are skipped. */
export const faultsIn = (readings: readonly Reading[]): ConfigFinding[] =>
  readings.flatMap(([path, value, read]) => {
    const text = typeof value === 'string' ? constantOf(value) : null;
    if (text === null) return [];
    try {
      read(text);
      return [];
    } catch (fault) {
      if (!(fault instanceof Refusal)) throw fault;
      return [{ kind: 'error', path, message: fault.message }];
    }
  });

/** The text of a string without expressions, null for one with some, or with wrong braces, which are found elsewhere. */
function constantOf(value: string): string | null {
  try {
    const template = compileTemplate(value);
    return template.kind === 'constant' ? (template.value as string) : null;
  } catch (fault) {
    if (fault instanceof ExpressionError) return null;
    throw fault;
  }
}

/** Readings of each item; none if the value is not a list. */
export const readingsOfEach = (
  list: Json | undefined,
  path: string,
  readings: (item: Json, path: string) => Reading[],
): Reading[] => (Array.isArray(list) ? list.flatMap((item, index) => readings(item, `${path}[${index}]`)) : []);

/** A member; undefined if the value is not an object. */
export const memberOf = (value: Json | undefined, name: string): Json | undefined =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** The `field` of each item of a list names a field. */
export const fieldsOfEach = (list: Json | undefined, path: string): Reading[] =>
  readingsOfEach(list, path, (item, at) => [[`${at}.field`, memberOf(item, 'field'), fieldPath]]);

/** Each item of a list names a field. */
export const fieldsIn = (list: Json | undefined, path: string): Reading[] =>
  readingsOfEach(list, path, (item, at) => [[at, item, fieldPath]]);
