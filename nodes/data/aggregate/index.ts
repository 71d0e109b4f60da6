import { type ConfigFinding, setOwn } from '../../../dsl';
import { canonicalJson, type Json, type JsonObject } from '../../../lib/json';
import { defineNode } from '../../contract/define';
import { choice, filledText, integer, list, objectSchema, text } from '../../schema';
import { Budget } from '../budget';
import { computed, misconfigured } from '../computed';
import { fieldReader, fieldSchema } from '../field';
import { itemsSchema } from '../items';
import { faultsIn, fieldsIn, fieldsOfEach } from '../readings';
import { type Operation, OPERATIONS, REDUCE } from './operation';

/** Fields that are no paths. */
const check = ({ operations, group_by }: JsonObject): ConfigFinding[] =>
  faultsIn([...fieldsOfEach(operations, 'operations'), ...fieldsIn(group_by, 'group_by')]);

/** The input, validated by the schema. */
interface AggregateInput {
  items: Json[];
  operations: OperationInput[];
  group_by?: string[];
}

interface OperationInput {
  name: string;
  operation: Operation;
  field?: string;
  separator?: string;
}

type Reader = (item: Json) => Json;

/** Makes one set of values of all items, or one of each group, in the order in which groups appear. */
const run = computed('aggregate', (input): JsonObject => {
  // The runtime has checked the input against the input schema.
  const { items, operations, group_by } = input as unknown as AggregateInput;
  const names = new Set(operations.map(({ name }) => name));
  if (names.size < operations.length) throw misconfigured('two operations have one name');
  const readers = operations.map(({ field }) => fieldReader(field));
  new Budget().spend(items.length * (operations.length + (group_by?.length ?? 0) * 2));
  const valuesOf = (some: Json[]): JsonObject => {
    const values: JsonObject = {};
    for (const [index, { name, operation, field, separator }] of operations.entries()) {
      const found = some.map(readers[index] as Reader);
      setOwn(values, name, REDUCE[operation](found, field ?? 'the value', separator ?? ', '));
    }
    return values;
  };
  if (group_by === undefined) return { count: items.length, values: valuesOf(items) };
  const groups = groupsOf(items, group_by).map(({ key, members }) => ({
    key,
    count: members.length,
    values: valuesOf(members),
  }));
  return { count: items.length, groups };
});

interface Group {
  key: JsonObject;
  members: Json[];
}

function groupsOf(items: Json[], fields: string[]): Group[] {
  const readers = fields.map((field) => [field, fieldReader(field)] as const);
  const groups = new Map<string, Group>();
  for (const item of items) {
    const key: JsonObject = {};
    for (const [field, read] of readers) setOwn(key, field, read(item));
    const id = canonicalJson(key);
    const group = groups.get(id);
    if (group) group.members.push(item);
    else groups.set(id, { key, members: [item] });
  }
  return [...groups.values()];
}

const values = {
  type: 'object',
  title: 'Values',
  description: 'Result of each operation, by name.',
} as const;

const operation = objectSchema(
  {
    name: filledText('Name of the result.', { maxLength: 100 }),
    operation: choice(
      [...OPERATIONS],
      'Aggregate function. null values are ignored; `sum` and `avg` accept only numbers. Without values, `sum` is 0, and `avg`, `min` and `max` are null.',
    ),
    field: fieldSchema('Field', 'The field of each item; without it, the item itself.'),
    separator: text('Separator for `join`.', { maxLength: 100, default: ', ' }),
  },
  ['name', 'operation'],
);

export const aggregateNode = defineNode({
  type: 'aggregate',
  title: 'Aggregate',
  description: 'Aggregates the items of a list, in total or by group.',
  category: 'Data',
  effect: 'pure',
  input: objectSchema(
    {
      items: itemsSchema('The list to look at.'),
      operations: list(
        operation,
        'Results to compute.',
        [
          { name: 'orders', operation: 'count' },
          { name: 'turnover', operation: 'sum', field: 'total' },
        ],
        { minItems: 1, maxItems: 50 },
      ),
      group_by: list(
        fieldSchema('Field', 'A field of each item.'),
        'Fields to group by. Without them, all items form one group.',
        ['country'],
        { minItems: 1, maxItems: 10 },
      ),
    },
    ['items', 'operations'],
  ),
  output: objectSchema(
    {
      count: integer('Number of items.'),
      values,
      groups: list(
        objectSchema(
          {
            key: { type: 'object', title: 'Key', description: 'Fields of the group, by path.' },
            count: integer('Number of items of the group.'),
            values,
          },
          ['key', 'count', 'values'],
        ),
        'In order of appearance; only with `group_by`, instead of `values`.',
      ),
    },
    ['count'],
  ),
  check,
  run,
});
