import type { Json } from '../../json';
import { counted, countOf, type Keyword, type Vocabulary } from '../keyword';

const items = counted((value) => (Array.isArray(value) ? value.length : null), 'items');

const prefixItems: Keyword = (operand, here) => {
  if (!Array.isArray(operand)) return here.wrong('must be a list of schemas');
  const rules = operand.map((schema, index) => here.member(schema, index));
  return (value, check) => {
    if (!Array.isArray(value)) return;
    for (const [index, rule] of rules.entries()) {
      if (index >= value.length || check.full) return;
      check.inside(index, rule, value[index] as Json);
    }
  };
};

/** Rule for items after `prefixItems`. */
const furtherItems: Keyword = (operand, here) => {
  const rule = here.member(operand);
  const prefix = Object.hasOwn(here.schema, 'prefixItems') ? here.schema.prefixItems : undefined;
  const first = Array.isArray(prefix) ? prefix.length : 0;
  return (value, check) => {
    if (!Array.isArray(value)) return;
    for (let index = first; index < value.length && !check.full; index++) {
      check.inside(index, rule, value[index] as Json);
    }
  };
};

const contains: Keyword = (operand, here) => {
  const rule = here.member(operand);
  const limitOf = (key: string, absent: number): number => {
    const limit = Object.hasOwn(here.schema, key) ? here.schema[key] : undefined;
    return typeof limit === 'number' ? limit : absent;
  };
  const min = limitOf('minContains', 1);
  const max = limitOf('maxContains', Number.POSITIVE_INFINITY);
  return (value, check) => {
    if (!Array.isArray(value)) return;
    const count = value.filter((item) => check.passes(rule, item)).length;
    if (count < min) check.fault(`must have at least ${min} items of the form that "contains" asks for`);
    if (count > max) check.fault(`must have at most ${max} items of the form that "contains" asks for`);
  };
};

/** Read by `contains`; checked here. */
const countOnly: Keyword = (operand, here) => {
  countOf(operand, here);
  return null;
};

const uniqueItems: Keyword = (operand, here) => {
  if (typeof operand !== 'boolean') return here.wrong('must be true or false');
  if (!operand) return null;
  return (value, check) => {
    if (!Array.isArray(value)) return;
    const seen = new Map<string, number>();
    for (const [index, item] of value.entries()) {
      const text = check.textOf(item);
      const first = seen.get(text);
      if (first !== undefined) return check.fault(`must have no two equal items; ${first} and ${index} are equal`);
      seen.set(text, index);
    }
  };
};

export const listKeywords: Vocabulary = [
  ['prefixItems', prefixItems],
  ['items', furtherItems],
  ['contains', contains],
  ['minContains', countOnly],
  ['maxContains', countOnly],
  ['minItems', items.min],
  ['maxItems', items.max],
  ['uniqueItems', uniqueItems],
];
