import { setOwn } from '../../../dsl';
import { canonicalJson, type Json, type JsonObject } from '../../../lib/json';
import { Budget } from '../budget';
import { computed, misconfigured } from '../computed';
import { fieldReader } from '../field';
import { type Operation, REDUCE } from './operation';

/** The input as its schema promises it. */
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
export const run = computed((input): JsonObject => {
  // The runtime has checked the input against the manifest's schema.
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
