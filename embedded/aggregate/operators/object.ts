import { ServerError } from '../../bson/error';
import { typeName } from '../../bson/types';
import { type Doc, isDoc, type Maybe, type Value } from '../../bson/value';
import { type Compiler, type Expr, isNullish, membersOf, nary, type Operators, unary } from '../operator';

export function mergeInto(target: Doc, value: Maybe): void {
  if (isNullish(value)) return;
  if (!isDoc(value))
    throw new ServerError(40400, `$mergeObjects requires object inputs, but input is of type ${typeName(value)}`);
  for (const [name, member] of value) target.set(name, member);
}

function mergeObjects(values: Maybe[]): Maybe {
  const [only] = values;
  const list = values.length === 1 && Array.isArray(only) ? only : values;
  const result: Doc = new Map();
  for (const value of list) mergeInto(result, value);
  return result;
}

function objectToArray(value: Maybe): Maybe {
  if (isNullish(value)) return null;
  if (!isDoc(value))
    throw new ServerError(40390, `$objectToArray requires a document input, found: ${typeName(value)}`);
  return [...value].map(
    ([name, member]) =>
      new Map<string, Value>([
        ['k', name],
        ['v', member],
      ]),
  );
}

/** The short form names a field of the current document. */
function getField(argument: Value, compiler: Compiler, name: string): Expr {
  const long = isDoc(argument) && argument.has('field');
  const members = long
    ? membersOf(name, argument, ['field'], ['input'])
    : new Map<string, Value>([['field', argument]]);
  const field = fieldName(members.get('field') as Value, compiler, name);
  const input = compiler.compile(members.has('input') ? (members.get('input') as Value) : '$$CURRENT');
  return (scope) => {
    const key = field(scope);
    const value = input(scope);
    if (value === undefined) return undefined;
    if (isNullish(value)) return null;
    return isDoc(value) ? value.get(key) : undefined;
  };
}

function fieldName(value: Value, compiler: Compiler, name: string): (scope: Parameters<Expr>[0]) => string {
  const field = compiler.compile(value);
  if (field.constant !== undefined && typeof field.constant !== 'string') {
    throw new ServerError(5654602, `${name} requires 'field' to evaluate to type String`);
  }
  return (scope) => {
    const key = field(scope);
    if (typeof key !== 'string')
      throw new ServerError(3041704, `${name} requires 'field' to evaluate to type String, but got ${typeName(key)}`);
    return key;
  };
}

function setField(argument: Value, compiler: Compiler, name: string): Expr {
  const required = name === '$unsetField' ? ['field', 'input'] : ['field', 'input', 'value'];
  const members = membersOf(name, argument, required);
  const key = compiler.compile(members.get('field') as Value).constant;
  if (typeof key !== 'string')
    throw new ServerError(4161107, `${name} requires 'field' to evaluate to a constant string`);
  const input = compiler.compile(members.get('input') as Value);
  const value = compiler.compile(members.has('value') ? (members.get('value') as Value) : '$$REMOVE');
  return (scope) => {
    const target = input(scope);
    if (isNullish(target)) return null;
    if (!isDoc(target)) throw new ServerError(4161105, `${name} requires 'input' to evaluate to type Object`);
    const result = new Map(target);
    const member = value(scope);
    if (member === undefined) result.delete(key);
    else result.set(key, member);
    return result;
  };
}

export const object: Operators = {
  $mergeObjects: nary(mergeObjects),
  $objectToArray: unary(objectToArray),
  $getField: getField,
  $setField: setField,
  $unsetField: setField,
};
