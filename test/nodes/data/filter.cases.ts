import type { Json, JsonObject } from '../../../lib/json';
import { CASE_SECRET, type NodeCase } from '../node-case';

const PEOPLE: JsonObject[] = [
  { name: 'Ada', age: 36, tags: ['math', 'code'], city: { name: 'London' } },
  { name: 'Grace', age: 85, tags: [], city: null },
  { name: 'alan', age: '41', tags: ['code'] },
];

const kept = (items: Json[], dropped: number): NodeCase['outcome'] => ({
  kind: 'done',
  output: { items, count: items.length, dropped },
});
const invalid = (message: string): NodeCase['outcome'] => ({
  kind: 'fail',
  error: { code: 'invalid_config', message },
  retryable: false,
});

/** A condition over the people, and the names of those who stay. */
const chooses = (title: string, condition: JsonObject, ...names: string[]): NodeCase => ({
  title,
  input: { items: PEOPLE, conditions: [condition] },
  outcome: kept(
    PEOPLE.filter(({ name }) => names.includes(name as string)),
    PEOPLE.length - names.length,
  ),
});

export const cases: NodeCase[] = [
  chooses('equals never converts', { field: 'age', operator: 'equals', value: 41 }),
  chooses('equals compares whole values', { field: 'tags', operator: 'equals', value: ['code'] }, 'alan'),
  chooses('not_equals', { field: 'name', operator: 'not_equals', value: 'Ada' }, 'Grace', 'alan'),
  chooses('greater_than is for values of one type', { field: 'age', operator: 'greater_than', value: 36 }, 'Grace'),
  chooses('greater_or_equal', { field: 'age', operator: 'greater_or_equal', value: 36 }, 'Ada', 'Grace'),
  chooses('less_than compares text by code unit', { field: 'name', operator: 'less_than', value: 'B' }, 'Ada'),
  chooses('less_or_equal', { field: 'age', operator: 'less_or_equal', value: 36 }, 'Ada'),
  chooses('contains looks in text', { field: 'name', operator: 'contains', value: 'a' }, 'Ada', 'Grace', 'alan'),
  chooses('contains looks in lists', { field: 'tags', operator: 'contains', value: 'code' }, 'Ada', 'alan'),
  chooses('contains looks at keys', { field: 'city', operator: 'contains', value: 'name' }, 'Ada'),
  chooses('contains sees no inherited keys', { field: 'city', operator: 'contains', value: 'constructor' }),
  chooses('not_contains', { field: 'tags', operator: 'not_contains', value: 'math' }, 'Grace', 'alan'),
  chooses('starts_with', { field: 'city.name', operator: 'starts_with', value: 'Lon' }, 'Ada'),
  chooses('ends_with', { field: 'name', operator: 'ends_with', value: 'ce' }, 'Grace'),
  chooses('matches is a regular expression', { field: 'name', operator: 'matches', value: '^[A-Z]' }, 'Ada', 'Grace'),
  chooses('not_matches', { field: 'name', operator: 'not_matches', value: '^[A-Z]' }, 'alan'),
  chooses('in', { field: 'tags[0]', operator: 'in', value: ['math', null] }, 'Ada', 'Grace'),
  chooses('not_in', { field: 'name', operator: 'not_in', value: ['Ada'] }, 'Grace', 'alan'),
  chooses('exists', { field: 'city.name', operator: 'exists' }, 'Ada'),
  chooses('not_exists', { field: 'city', operator: 'not_exists' }, 'Grace', 'alan'),
  chooses('empty', { field: 'tags', operator: 'empty' }, 'Grace'),
  chooses('not_empty', { field: 'tags', operator: 'not_empty' }, 'Ada', 'alan'),
  chooses('case may not count', { field: 'name', operator: 'starts_with', value: 'AL', ignore_case: true }, 'alan'),
  chooses(
    'case may not count in a pattern',
    { field: 'name', operator: 'matches', value: '^ALAN$', ignore_case: true },
    'alan',
  ),
  chooses(
    'case may not count in a list',
    { field: 'name', operator: 'in', value: ['ADA', 1], ignore_case: true },
    'Ada',
  ),
  chooses('names of the language are no fields', { field: 'constructor.name', operator: 'exists' }),
  {
    title: 'all conditions have to hold',
    input: {
      items: [1, 5, 9],
      conditions: [
        { operator: 'greater_than', value: 1 },
        { operator: 'less_than', value: 9 },
      ],
    },
    outcome: kept([5], 2),
  },
  {
    title: 'or any one',
    input: {
      items: [1, 5, 9],
      match: 'any',
      conditions: [
        { operator: 'equals', value: 1 },
        { operator: 'equals', value: 9 },
      ],
    },
    outcome: kept([1, 9], 1),
  },
  {
    title: 'a pattern that stalls others is matched in linear time',
    input: { items: [`${'a'.repeat(2_000)}!`], conditions: [{ operator: 'matches', value: '^(a+)+$' }] },
    outcome: kept([], 1),
  },
  {
    title: 'a search that would take too long is refused',
    input: {
      items: ['a'.repeat(500_000)],
      conditions: [{ operator: 'contains', value: `${'a'.repeat(450)}b${'a'.repeat(450)}` }],
    },
    outcome: {
      kind: 'fail',
      error: { code: 'too_large', message: 'too much work for one step' },
      retryable: false,
    },
  },
  {
    title: 'a pattern of another kind is refused',
    input: { items: [], conditions: [{ operator: 'matches', value: '(?=a)' }] },
    outcome: invalid('RE2'),
  },
  {
    title: 'what is no path is refused',
    input: { items: [], conditions: [{ field: 'a..b', operator: 'exists' }] },
    outcome: invalid('"a..b" is not the path of a field'),
  },
  {
    title: 'a secret is masked in the refusal',
    input: { items: [], conditions: [{ field: `[${CASE_SECRET}`, operator: 'exists' }] },
    outcome: invalid('"[***" is not the path of a field'),
  },
  {
    title: 'in needs a list',
    input: { items: [], conditions: [{ operator: 'in', value: 'abc' }] },
    outcome: invalid('take a list'),
  },
  {
    title: 'only numbers and texts have an order',
    input: { items: [], conditions: [{ operator: 'less_than', value: [] }] },
    outcome: invalid('a number or a text'),
  },
  {
    title: 'a list of more than 1 MiB is refused',
    input: { items: ['x'.repeat(1024 * 1024)], conditions: [{ operator: 'exists' }] },
    outcome: { kind: 'fail', error: { code: 'too_large', message: '1 MiB' }, retryable: false },
  },
];
