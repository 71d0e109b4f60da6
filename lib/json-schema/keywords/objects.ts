import { isObject, type Json } from '../../json';
import type { Pattern } from '../../regex';
import type { Rule } from '../check';
import { counted, type KeywordContext, type Keyword, textsOf, type Vocabulary } from '../keyword';
import { matches } from './scalars';

/** The members of an object keyword, or a fault. */
function membersOf(operand: Json, here: KeywordContext): [string, Json][] | null {
  return isObject(operand) ? Object.entries(operand as Record<string, Json>) : here.wrong('must be an object');
}

const properties: Keyword = (operand, here) => {
  const members = membersOf(operand, here);
  if (members === null) return null;
  const rules = members.map(([key, schema]) => [key, here.member(schema, key)] as const);
  return (value, check) => {
    if (!isObject(value)) return;
    check.spend(rules.length >> 2);
    for (const [key, rule] of rules) {
      if (check.full) return;
      if (Object.hasOwn(value, key)) check.inside(key, rule, value[key] as Json);
    }
  };
};

const patternProperties: Keyword = (operand, here) => {
  const members = membersOf(operand, here);
  if (members === null) return null;
  const rules: [Pattern, Rule][] = [];
  for (const [source, schema] of members) {
    const pattern = here.pattern(source, source);
    if (pattern !== null) rules.push([pattern, here.member(schema, source)]);
  }
  return (value, check) => {
    if (!isObject(value)) return;
    const keys = Object.keys(value);
    check.spend(keys.length >> 2);
    for (const key of keys) {
      for (const [pattern, rule] of rules) {
        if (check.full) return;
        if (matches(pattern, key, check)) check.inside(key, rule, value[key] as Json);
      }
    }
  };
};

const SHOWN_NAMES = 20;

/** Rule for members not covered by `properties` and `patternProperties`. */
const additionalProperties: Keyword = (operand, here) => {
  const rule = here.member(operand);
  const sibling = (key: string): string[] => {
    const found = Object.hasOwn(here.schema, key) ? here.schema[key] : undefined;
    return isObject(found) ? Object.keys(found) : [];
  };
  const names = new Set(sibling('properties'));
  // The keyword itself has reported an invalid regular expression.
  const patterns = sibling('patternProperties').flatMap((source) => here.pattern(source) ?? []);
  const known = [...names].slice(0, SHOWN_NAMES).join(', ');
  const unknown = `is not known here${known === '' ? '' : `; known are ${known}${names.size > SHOWN_NAMES ? ', ...' : ''}`}`;
  return (value, check) => {
    if (!isObject(value)) return;
    const keys = Object.keys(value);
    check.spend(keys.length >> 2);
    for (const key of keys) {
      if (check.full) return;
      if (names.has(key) || patterns.some((pattern) => matches(pattern, key, check))) continue;
      if (operand === false) check.fault(unknown, key);
      else check.inside(key, rule, value[key] as Json);
    }
  };
};

const required: Keyword = (operand, here) => {
  const names = textsOf(operand, here);
  if (names === null) return null;
  return (value, check) => {
    if (!isObject(value)) return;
    check.spend(names.length >> 2);
    for (const name of names) if (!Object.hasOwn(value, name)) check.fault('is required', name);
  };
};

const propertyNames: Keyword = (operand, here) => {
  const rule = here.member(operand);
  return (value, check) => {
    if (!isObject(value)) return;
    for (const key of Object.keys(value)) {
      if (check.full) return;
      if (!check.passes(rule, key)) check.fault('has a name that is not allowed', key);
    }
  };
};

const size = counted((value, check) => {
  if (!isObject(value)) return null;
  const count = Object.keys(value).length;
  check.spend(count >> 3);
  return count;
}, 'members');

const dependentRequired: Keyword = (operand, here) => {
  const members = membersOf(operand, here);
  if (members === null) return null;
  const rows = members.map(([key, names]) => [key, textsOf(names, here, key) ?? []] as const);
  return (value, check) => {
    if (!isObject(value)) return;
    for (const [key, names] of rows) {
      check.spend(1 + names.length);
      if (!Object.hasOwn(value, key)) continue;
      for (const name of names) if (!Object.hasOwn(value, name)) check.fault(`is required with ${key}`, name);
    }
  };
};

const dependentSchemas: Keyword = (operand, here) => {
  const members = membersOf(operand, here);
  if (members === null) return null;
  const rules = members.map(([key, schema]) => [key, here.same(schema, key)] as const);
  return (value, check) => {
    if (!isObject(value)) return;
    check.spend(rules.length);
    for (const [key, rule] of rules) if (Object.hasOwn(value, key)) rule(value, check);
  };
};

export const objectKeywords: Vocabulary = [
  ['properties', properties],
  ['patternProperties', patternProperties],
  ['additionalProperties', additionalProperties],
  ['required', required],
  ['propertyNames', propertyNames],
  ['minProperties', size.min],
  ['maxProperties', size.max],
  ['dependentRequired', dependentRequired],
  ['dependentSchemas', dependentSchemas],
];
