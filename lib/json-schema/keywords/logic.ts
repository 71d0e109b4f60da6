import { isObject, type Json } from '../../json';
import type { Rule } from '../check';
import { formsText } from '../forms';
import type { KeywordContext, Keyword, Vocabulary } from '../keyword';

/** Describes a value that matches no alternative. */
const noForm = (schemas: Json): string => `has none of the allowed forms: ${formsText(schemas as Json[])}`;

function alternatives(operand: Json, here: KeywordContext): Rule[] | null {
  if (!Array.isArray(operand) || operand.length === 0) return here.wrong('must be a list of schemas');
  return operand.map((schema, index) => here.same(schema, index));
}

const allOf: Keyword = (operand, here) => {
  const rules = alternatives(operand, here);
  return rules === null ? null : (value, check) => rules.forEach((rule) => rule(value, check));
};

const anyOf: Keyword = (operand, here) => {
  const rules = alternatives(operand, here);
  if (rules === null) return null;
  return (value, check) => {
    if (!rules.some((rule) => check.passes(rule, value))) check.fault(noForm(operand));
  };
};

const oneOf: Keyword = (operand, here) => {
  const rules = alternatives(operand, here);
  if (rules === null) return null;
  return (value, check) => {
    const count = rules.filter((rule) => check.passes(rule, value)).length;
    if (count === 0) check.fault(noForm(operand));
    if (count > 1) check.fault(`has ${count} of the allowed forms, and must have one`);
  };
};

const not: Keyword = (operand, here) => {
  const rule = here.same(operand);
  return (value, check) => {
    if (check.passes(rule, value)) check.fault('has a form that is not allowed');
  };
};

const condition: Keyword = (operand, here) => {
  const rule = here.same(operand);
  const [whenTrue, whenFalse] = [here.sibling('then'), here.sibling('else')];
  return (value, check) => (check.passes(rule, value) ? whenTrue : whenFalse)?.(value, check);
};

/** Used by `if`; compiled here so that its faults are reported even without one. */
const branch: Keyword = (operand, here) => {
  here.same(operand);
  return null;
};

const reference: Keyword = (operand, here) =>
  typeof operand === 'string' ? here.referred(operand) : here.wrong('must be a reference, as "#/$defs/name"');

/** Schemas that are only there to be referred to. */
const definitions: Keyword = (operand, here) => {
  if (!isObject(operand)) return here.wrong('must be an object of schemas');
  for (const [key, schema] of Object.entries(operand)) here.member(schema, key);
  return null;
};

export const logicKeywords: Vocabulary = [
  ['allOf', allOf],
  ['anyOf', anyOf],
  ['oneOf', oneOf],
  ['not', not],
  ['if', condition],
  ['then', branch],
  ['else', branch],
  ['$ref', reference],
  ['$defs', definitions],
  ['definitions', definitions],
];
