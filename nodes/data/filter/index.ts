import type { ConfigFinding } from '../../../dsl';
import type { Json, JsonObject } from '../../../lib/json';
import { defineNode } from '../../contract/define';
import { choice, flag, integer, list, objectSchema, requiredWhen } from '../../schema';
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

/** The input, validated by the schema. */
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
    operator: choice(
      [...PAIR_OPERATORS, ...LONE_OPERATORS],
      'Comparison. Values are not converted: 7 is not "7". A missing field is null. `contains` searches text, lists and keys of objects; `matches` is a regular expression (RE2).',
      { examples: ['greater_than'] },
    ),
    value: {
      title: 'Value',
      description: 'Value to compare with; a list for `in` and `not_in`.',
      examples: [100, 'paid', ['DE', 'AT']],
    },
    ignore_case: flag('Ignores upper and lower case.', { default: false }),
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
      conditions: list(
        condition,
        'Conditions for an item.',
        [{ field: 'total', operator: 'greater_than', value: 100 }],
        { minItems: 1, maxItems: 20 },
      ),
      match: choice(['all', 'any'], 'Whether all conditions or any one must match.', { default: 'all' }),
    },
    ['items', 'conditions'],
  ),
  output: objectSchema(
    {
      ...ITEMS_OUTPUT,
      dropped: integer('Number of items that did not match.'),
    },
    ['items', 'count', 'dropped'],
  ),
  check,
  run,
});
