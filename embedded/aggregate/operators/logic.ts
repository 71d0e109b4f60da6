import { compare } from '../../bson/compare';
import { ServerError } from '../../bson/error';
import { isDoc, type Maybe, type Value } from '../../bson/value';
import {
  binary,
  type Compiler,
  type Expr,
  isNullish,
  literal,
  membersOf,
  type Operator,
  type Operators,
  operands,
  truthy,
} from '../operator';

const ordered = (holds: (order: number) => boolean): Operator => binary((a, b) => holds(compare(a, b)));

const listOf = (argument: Value): Value[] => (Array.isArray(argument) ? argument : [argument]);

/** `$and` and `$or` stop at the first operand that decides. */
const junction =
  (deciding: boolean): Operator =>
  (argument, compiler) => {
    const list = listOf(argument).map((value) => compiler.compile(value));
    return (scope) => (list.some((operand) => truthy(operand(scope)) === deciding) ? deciding : !deciding);
  };

function cond(argument: Value, compiler: Compiler, name: string): Expr {
  const parts = isDoc(argument)
    ? ['if', 'then', 'else'].map((member) => membersOf(name, argument, ['if', 'then', 'else']).get(member) as Value)
    : operands(name, argument, 3, 3);
  const [test, yes, no] = parts.map((part) => compiler.compile(part)) as [Expr, Expr, Expr];
  return (scope) => (truthy(test(scope)) ? yes(scope) : no(scope));
}

function ifNull(argument: Value, compiler: Compiler, name: string): Expr {
  if (!Array.isArray(argument) || argument.length < 2) {
    throw new ServerError(1257300, `${name} needs at least two arguments`);
  }
  const list = argument.map((value) => compiler.compile(value));
  return (scope) => {
    let value: Maybe;
    for (const operand of list) {
      value = operand(scope);
      if (!isNullish(value)) return value;
    }
    return value;
  };
}

function switchOf(argument: Value, compiler: Compiler, name: string): Expr {
  const members = membersOf(name, argument, [], ['branches', 'default']);
  const branches = members.get('branches');
  if (!Array.isArray(branches)) throw new ServerError(40061, '$switch expected an array for branches');
  if (branches.length === 0) throw new ServerError(40068, '$switch requires at least one branch');
  const compiled = branches.map((branch) => branchOf(branch, compiler));
  const otherwise = members.get('default');
  const fallback = otherwise === undefined ? undefined : compiler.compile(otherwise);
  return (scope) => {
    for (const { when, value } of compiled) if (truthy(when(scope))) return value(scope);
    if (fallback === undefined) {
      throw new ServerError(
        40066,
        '$switch could not find a matching branch for an input, and no default was specified',
      );
    }
    return fallback(scope);
  };
}

function branchOf(branch: Value, compiler: Compiler): { when: Expr; value: Expr } {
  if (!isDoc(branch)) throw new ServerError(40062, '$switch expected each branch to be an object');
  for (const member of branch.keys()) {
    if (member !== 'case' && member !== 'then')
      throw new ServerError(40063, `$switch found an unknown argument to a branch: ${member}`);
  }
  const [when, value] = [branch.get('case'), branch.get('then')];
  if (when === undefined) throw new ServerError(40064, "$switch requires each branch have a 'case' expression");
  if (value === undefined) throw new ServerError(40065, "$switch requires each branch have a 'then' expression");
  return { when: compiler.compile(when), value: compiler.compile(value) };
}

export const logic: Operators = {
  $eq: ordered((order) => order === 0),
  $ne: ordered((order) => order !== 0),
  $gt: ordered((order) => order > 0),
  $gte: ordered((order) => order >= 0),
  $lt: ordered((order) => order < 0),
  $lte: ordered((order) => order <= 0),
  $cmp: binary((a, b) => Math.sign(compare(a, b))),
  $and: junction(false),
  $or: junction(true),
  $not: (argument, compiler, name) => {
    const [operand] = operands(name, argument, 1, 1).map((value) => compiler.compile(value)) as [Expr];
    return (scope) => !truthy(operand(scope));
  },
  $cond: cond,
  $ifNull: ifNull,
  $switch: switchOf,
  $literal: (argument) => literal(argument),
};
