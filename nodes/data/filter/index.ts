import type { ConfigFinding } from '../../../dsl';
import type { Json, JsonObject } from '../../../lib/json';
import { defineNode } from '../../contract/define';
import { objectSchema, requiredWhen } from '../../schema';
import { Budget } from '../budget';
import { computed } from '../computed';
import { fieldSchema } from '../field';
import { ITEMS_OUTPUT, itemsSchema } from '../items';
import { faultsIn, fieldsOfEach, memberOf, readingsOfEach } from '../readings';
import { compilePattern, type Condition, conditionTest, LONE_OPERATORS, PAIR_OPERATORS } from './condition';

/** Fields that are no paths, and patterns that are no regular expressions. */
const check = ({ conditions }: JsonObject): ConfigFinding[] =>
  faultsIn([
    ...fieldsOfEach(conditions, 'conditions'),
    ...readingsOfEach(conditions, 'conditions', (condition, path) => {
      const operator = memberOf(condition, 'operator');
      const patterned = operator === 'matches' || operator === 'not_matches';
      return patterned ? [[`${path}.value`, memberOf(condition, 'value'), compilePattern]] : [];
    }),
  ]);

/** The input as its schema promises it. */
interface FilterInput {
  items: Json[];
  conditions: Condition[];
  match?: 'all' | 'any';
}

/** Keeps the items that pass, in their order. */
const run = computed('filter', (input) => {
  // The runtime has checked the input against the input schema.
  const { items, conditions, match = 'all' } = input as unknown as FilterInput;
  const budget = new Budget();
  const tests = conditions.map((condition) => conditionTest(condition, budget));
  const kept = items.filter((item) =>
    match === 'all' ? tests.every((test) => test(item)) : tests.some((test) => test(item)),
  );
  return { items: kept, count: kept.length, dropped: items.length - kept.length };
});

const condition = objectSchema(
  {
    field: fieldSchema('Field', 'The field of each item; without it, the item itself.'),
    operator: {
      type: 'string',
      title: 'Operator',
      description:
        'Comparison. Values are not converted: 7 is not "7". A missing field is null. `contains` searches text, lists and keys of objects; `matches` is a regular expression (RE2).',
      enum: [...PAIR_OPERATORS, ...LONE_OPERATORS],
      examples: ['greater_than'],
    },
    value: {
      title: 'Value',
      description: 'Value to compare with; a list for `in` and `not_in`.',
      examples: [100, 'paid', ['DE', 'AT']],
    },
    ignore_case: {
      type: 'boolean',
      title: 'Ignore case',
      description: 'Ignores upper and lower case.',
      default: false,
    },
  },
  ['operator'],
  requiredWhen('operator', Object.fromEntries(PAIR_OPERATORS.map((operator) => [operator, ['value']]))),
);

export const filterNode = defineNode({
  type: 'filter',
  title: 'Filter',
  description: 'Keeps the items of a list that match conditions.',
  category: 'Data',
  effect: 'pure',
  input: objectSchema(
    {
      items: itemsSchema('The list to choose from.'),
      conditions: {
        type: 'array',
        title: 'Conditions',
        description: 'Conditions for an item.',
        items: condition,
        minItems: 1,
        maxItems: 20,
        examples: [[{ field: 'total', operator: 'greater_than', value: 100 }]],
      },
      match: {
        type: 'string',
        title: 'Match',
        description: 'Whether all conditions or any one must match.',
        enum: ['all', 'any'],
        default: 'all',
      },
    },
    ['items', 'conditions'],
  ),
  output: objectSchema(
    {
      ...ITEMS_OUTPUT,
      dropped: { type: 'integer', title: 'Dropped', description: 'Number of items that did not match.' },
    },
    ['items', 'count', 'dropped'],
  ),
  check,
  run,
});
