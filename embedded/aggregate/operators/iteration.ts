import { failedToParse, ServerError } from '../../bson/error';
import { asInteger, isNumeric } from '../../bson/numeric';
import type { Maybe, Value } from '../../bson/value';
import { isDoc } from '../../bson/value';
import { type Compiler, type Expr, isNullish, membersOf, type Operators, type Scope, truthy } from '../operator';
import { arrayOf } from './array';

const VARIABLE = /^[a-z\u0080-\uffff][\w\u0080-\uffff]*$/;

/** User variables start with a lower-case letter; capitals are the system's. */
function assertVariableName(name: Value): asserts name is string {
  if (typeof name !== 'string' || !(VARIABLE.test(name) || name === 'CURRENT')) {
    throw failedToParse(`'${String(name)}' starts with an invalid character for a user variable name`);
  }
}

function nameOf(members: Map<string, Value>, fallback: string): string {
  const name = members.get('as') ?? fallback;
  assertVariableName(name);
  return name;
}

function map(argument: Value, compiler: Compiler, name: string): Expr {
  const members = membersOf(name, argument, ['input', 'in'], ['as']);
  const input = compiler.compile(members.get('input') as Value);
  const { slot, inner } = compiler.bind(nameOf(members, 'this'));
  const body = inner.compile(members.get('in') as Value);
  return (scope) => {
    const value = input(scope);
    if (isNullish(value)) return null;
    return arrayOf(value, 16883, 'input to $map').map((entry) => body(withSlot(scope, slot, entry)) ?? null);
  };
}

/** Sets a variable in place: slots are never shared between bodies, so nothing needs to be restored. */
function withSlot(scope: Scope, slot: number, value: Maybe): Scope {
  scope.slots[slot] = value;
  return scope;
}

function filter(argument: Value, compiler: Compiler, name: string): Expr {
  const members = membersOf(name, argument, ['input', 'cond'], ['as', 'limit']);
  const input = compiler.compile(members.get('input') as Value);
  const limit = members.has('limit') ? compiler.compile(members.get('limit') as Value) : undefined;
  const { slot, inner } = compiler.bind(nameOf(members, 'this'));
  const keep = inner.compile(members.get('cond') as Value);
  return (scope) => {
    const value = input(scope);
    if (isNullish(value)) return null;
    const max = limit === undefined ? Number.POSITIVE_INFINITY : limitOf(limit(scope));
    const kept: Value[] = [];
    for (const entry of arrayOf(value, 28651, 'input to $filter')) {
      if (kept.length >= max) break;
      if (truthy(keep(withSlot(scope, slot, entry)))) kept.push(entry);
    }
    return kept;
  };
}

function limitOf(value: Maybe): number {
  if (isNullish(value)) return Number.POSITIVE_INFINITY;
  const limit = isNumeric(value) ? asInteger(value) : undefined;
  if (limit === undefined)
    throw new ServerError(327391, '$filter: limit must be represented as a 32-bit integral value');
  if (limit < 1n) throw new ServerError(327392, '$filter: limit must be greater than 0');
  return Number(limit);
}

function reduce(argument: Value, compiler: Compiler, name: string): Expr {
  const members = membersOf(name, argument, ['input', 'initialValue', 'in']);
  const input = compiler.compile(members.get('input') as Value);
  const initial = compiler.compile(members.get('initialValue') as Value);
  const element = compiler.bind('this');
  const accumulator = element.inner.bind('value');
  const body = accumulator.inner.compile(members.get('in') as Value);
  return (scope) => {
    const value = input(scope);
    if (isNullish(value)) return null;
    let result = initial(scope);
    for (const entry of arrayOf(value, 40080, '$reduce input')) {
      scope.slots[element.slot] = entry;
      scope.slots[accumulator.slot] = result;
      result = body(scope);
    }
    return result;
  };
}

function letIn(argument: Value, compiler: Compiler, name: string): Expr {
  const members = membersOf(name, argument, ['vars', 'in']);
  const variables = members.get('vars') as Value;
  if (!isDoc(variables)) throw new ServerError(16874, "invalid parameter: expected an object for 'vars' of $let");
  let inner = compiler;
  const bound: { slot: number; value: Expr }[] = [];
  for (const [variable, value] of variables) {
    assertVariableName(variable);
    const binding = inner.bind(variable);
    bound.push({ slot: binding.slot, value: compiler.compile(value) });
    inner = binding.inner;
  }
  const body = inner.compile(members.get('in') as Value);
  return (scope) => {
    // All values see the outer variables, so they are computed before any is set.
    const values = bound.map(({ value }) => value(scope));
    for (const [index, { slot }] of bound.entries()) scope.slots[slot] = values[index];
    return body(scope);
  };
}

export const iteration: Operators = { $map: map, $filter: filter, $reduce: reduce, $let: letIn };
