import type { ConfigFinding } from '../../../dsl';
import { valueAt } from '../../../lib/field-path';
import type { Json, JsonObject } from '../../../lib/json';
import { defineNode } from '../../contract/define';
import { anyValue, choice, flag, integer, list, objectSchema, requiredWhen, text } from '../../schema';
import { computed } from '../computed';
import { fieldPath, fieldSchema } from '../field';
import { faultsIn, fieldsIn } from '../readings';
import { membersNamed, merge, objectIn, omit, pick } from './members';
import { parseJson, sorted, writeJson } from './text';

/** Fields that are no paths. */
const check = ({ path, fields }: JsonObject): ConfigFinding[] =>
  faultsIn([['path', path, fieldPath], ...fieldsIn(fields, 'fields')]);

/** The input as its schema promises it: what an operation needs is there. */
type JsonInput =
  | { operation: 'parse'; text: string }
  | { operation: 'stringify'; value: Json; indent?: number; sort_keys?: boolean }
  | { operation: 'get'; value: Json; path: string; default?: Json }
  | { operation: 'pick' | 'omit'; value: Json; fields: string[] }
  | { operation: 'merge'; values: Json[]; deep?: boolean };

/** One operation on JSON values. */
const run = computed('json', (given): JsonObject => {
  // The runtime has checked the input against the input schema.
  const input = given as unknown as JsonInput;
  switch (input.operation) {
    case 'parse':
      return { value: parseJson(input.text) };
    case 'stringify': {
      const value = input.sort_keys === true ? sorted(input.value) : input.value;
      return { text: writeJson(value, input.indent ?? 0) };
    }
    case 'get':
      return { value: valueAt(input.value, fieldPath(input.path)) ?? input.default ?? null };
    case 'pick':
      return { value: pick(objectIn(input.value, 'value'), membersNamed(input.fields)) };
    case 'omit':
      return { value: omit(objectIn(input.value, 'value'), membersNamed(input.fields)) };
    case 'merge':
      return { value: merge(input.values, input.deep ?? false) };
  }
});

const NEEDS = {
  parse: ['text'],
  stringify: ['value'],
  get: ['value', 'path'],
  pick: ['value', 'fields'],
  omit: ['value', 'fields'],
  merge: ['values'],
};

export const jsonNode = defineNode({
  type: 'json',
  title: 'JSON',
  description: 'Parses and writes JSON text, and reads, selects and merges values.',
  category: 'Data',
  effect: 'pure',
  input: objectSchema(
    {
      operation: choice(
        Object.keys(NEEDS),
        '`parse` reads `text`; `stringify` writes `value` as text; `get` reads `path`; `pick` keeps and `omit` removes `fields` of an object; `merge` combines objects.',
        { examples: ['parse'] },
      ),
      text: text('JSON text, for `parse`.', '{"total": 12}'),
      value: anyValue('Input value; an object for `pick` and `omit`.', { id: 7, customer: { name: 'Ada' } }),
      path: fieldSchema('Path', 'Where to look, for `get`.'),
      default: anyValue('Result of `get` if the path is missing or null. Default: null.'),
      fields: list(
        fieldSchema('Field', 'A member.'),
        'Fields of the object, including nested ones.',
        ['id', 'customer.name'],
        { minItems: 1, maxItems: 200 },
      ),
      values: {
        type: 'array',
        title: 'Values',
        description: 'Objects to merge; later ones win.',
        maxItems: 100,
        examples: [[{ a: 1 }, { b: 2 }]],
      },
      deep: flag('Merges nested objects too; lists are replaced.', { title: 'Merge deeply', default: false }),
      indent: integer('Spaces per level, for `stringify`.', { minimum: 0, maximum: 10, default: 0 }),
      sort_keys: flag('Writes keys in order, so that equal values have equal text.', { default: false }),
    },
    ['operation'],
    requiredWhen('operation', NEEDS),
  ),
  output: objectSchema({
    value: anyValue('Result of every operation except `stringify`.'),
    text: text('Result of `stringify`.'),
  }),
  check,
  run,
});
