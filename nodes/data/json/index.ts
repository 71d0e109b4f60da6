import { type ConfigFinding, setOwn } from '../../../dsl';
import { valueAt } from '../../../lib/field-path';
import type { Json, JsonObject } from '../../../lib/json';
import { defineNode } from '../../contract/define';
import { anyValue, choice, flag, integer, list, objectSchema, requiredWhen, text } from '../../schema';
import { computed, MAX_SIZE, Refusal } from '../computed';
import { fieldPath, fieldSchema } from '../field';
import { faultsIn, fieldsIn } from '../readings';
import { membersNamed, merge, objectIn, omit, pick } from './members';

/** A number that may be larger than JSON values can be: only then is each one looked at. */
const LARGE_NUMBER = /[eE]\+?\d{3}|\d{300}/;

/** The value of a JSON text. @throws Refusal `invalid_json` */
function parseJson(text: string): Json {
  try {
    return JSON.parse(text, LARGE_NUMBER.test(text) ? finite : undefined) as Json;
  } catch {
    // The parser's own message quotes pieces of the text, in which a secret would not be recognised.
    throw new Refusal('invalid_json', 'the text is not JSON, or nested too deep');
  }
}

const finite = (_key: string, value: unknown): unknown => {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError('number out of range');
  return value;
};

/** The value with the keys of its objects in code-unit order, at every depth. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  const object: JsonObject = {};
  for (const key of Object.keys(value).sort()) setOwn(object, key, sorted(value[key] as Json));
  return object;
}

/** JSON with this indentation. @throws Refusal `too_large` if the indentation alone exceeds the limit of an output */
function writeJson(value: Json, indent: number): string {
  if (indent > 0 && levelsOf(value, 0) * indent > MAX_SIZE) {
    throw new Refusal('too_large', 'the text would be larger than 1 MiB; choose a smaller indent');
  }
  return JSON.stringify(value, null, indent);
}

/** How many levels all lines of the indented text are in, taken together. */
function levelsOf(value: Json, level: number): number {
  if (value === null || typeof value !== 'object') return level;
  let levels = 2 * level;
  for (const inner of Object.values(value)) levels += levelsOf(inner, level + 1);
  return levels;
}

/** Fields that are no paths. */
const check = ({ path, fields }: JsonObject): ConfigFinding[] =>
  faultsIn([['path', path, fieldPath], ...fieldsIn(fields, 'fields')]);

/** The input, validated by the schema: the fields of the operation are present. */
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
