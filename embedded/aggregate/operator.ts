import { failedToParse, ServerError } from '../bson/error';
import { isNumeric, toDouble } from '../bson/numeric';
import { isDoc, type Maybe, UNDEFINED, type Value } from '../bson/value';

/** Run-time input of an expression. */
export interface Scope {
  /** `$$ROOT`, the document that entered the stage. */
  root: Maybe;
  /** `$$CURRENT`: where field paths start. */
  current: Maybe;
  /** Variables by slot number. */
  slots: Maybe[];
}

/** A compiled expression; `undefined` is a missing value. */
export interface Expr {
  (scope: Scope): Maybe;
  /** Set when the expression is a literal. */
  constant?: Value;
}

/** Compiles operands of an operator in the scope where it appears. */
export interface Compiler {
  compile(value: Value): Expr;
  /** A compiler with one more variable, and the slot to set it in. */
  bind(name: string): { slot: number; inner: Compiler };
}

/** Compiles an operator from its argument. */
export type Operator = (argument: Value, compiler: Compiler, name: string) => Expr;

/** A family of operators, by name with its dollar. */
export type Operators = Readonly<Record<`$${string}`, Operator>>;

/** Null, missing, or BSON undefined: most operators return null for these. */
export const isNullish = (value: Maybe): value is null | undefined =>
  value === undefined || value === null || value === UNDEFINED;

/** Truth of a value in an expression: false for false, zero, null, undefined and missing. NaN is true. */
export function truthy(value: Maybe): boolean {
  if (value === undefined || value === null || value === false || value === UNDEFINED) return false;
  return value === true || !isNumeric(value) || toDouble(value) !== 0;
}

export function literal(value: Value): Expr {
  const expr: Expr = () => value;
  expr.constant = value;
  return expr;
}

/**
 * The operands of an operator that takes between `min` and `max`; one operand may stand without its array.
 * @throws ServerError 16020, or 28667 where several numbers would do
 */
export function operands(name: string, argument: Value, min: number, max: number): Value[] {
  const list = Array.isArray(argument) ? argument : [argument];
  if (list.length >= min && list.length <= max) return list;
  const expected = min === max ? `exactly ${min}` : `at least ${min} and at most ${max}`;
  throw new ServerError(
    min === max ? 16020 : 28667,
    `Expression ${name} takes ${expected} arguments. ${list.length} were passed in.`,
  );
}

/** An operator on one value. */
export const unary =
  (apply: (value: Maybe, name: string) => Maybe): Operator =>
  (argument, compiler, name) => {
    const [operand] = operands(name, argument, 1, 1).map((value) => compiler.compile(value)) as [Expr];
    return (scope) => apply(operand(scope), name);
  };

/** An operator on two values. */
export const binary =
  (apply: (a: Maybe, b: Maybe, name: string) => Maybe): Operator =>
  (argument, compiler, name) => {
    const [a, b] = operands(name, argument, 2, 2).map((value) => compiler.compile(value)) as [Expr, Expr];
    return (scope) => apply(a(scope), b(scope), name);
  };

/** An operator on a list of values. */
export const nary =
  (apply: (values: Maybe[], name: string) => Maybe, min = 0, max = Number.POSITIVE_INFINITY): Operator =>
  (argument, compiler, name) => {
    const list = operands(name, argument, min, max).map((value) => compiler.compile(value));
    return (scope) =>
      apply(
        list.map((operand) => operand(scope)),
        name,
      );
  };

/** As `nary`, for operators that return null at the first null operand, without evaluating later ones. */
export const naryOrNull =
  (
    apply: (values: Value[], name: string) => Maybe,
    check: (value: Value, name: string) => void = () => undefined,
  ): Operator =>
  (argument, compiler, name) => {
    const list = operands(name, argument, 0, Number.POSITIVE_INFINITY).map((value) => compiler.compile(value));
    return (scope) => {
      const values: Value[] = [];
      for (const operand of list) {
        const value = operand(scope);
        if (isNullish(value)) return null;
        check(value, name);
        values.push(value);
      }
      return apply(values, name);
    };
  };

/** The members of an operator's document argument, each checked to be known. */
export function membersOf(
  name: string,
  argument: Value,
  required: readonly string[],
  optional: readonly string[] = [],
): Map<string, Value> {
  if (!isDoc(argument)) throw failedToParse(`${name} only supports an object as its argument`);
  for (const member of argument.keys()) {
    if (!required.includes(member) && !optional.includes(member)) {
      throw failedToParse(`Unrecognized argument to ${name}: ${member}`);
    }
  }
  for (const member of required) {
    if (!argument.has(member)) throw failedToParse(`Missing '${member}' parameter to ${name}`);
  }
  return argument;
}

/** An operator with named operands, all of which it evaluates. */
export const named =
  (
    required: readonly string[],
    optional: readonly string[],
    apply: (values: Readonly<Record<string, Maybe>>, name: string) => Maybe,
  ): Operator =>
  (argument, compiler, name) => {
    const members = [...membersOf(name, argument, required, optional)].map(
      ([member, value]) => [member, compiler.compile(value)] as const,
    );
    return (scope) => apply(Object.fromEntries(members.map(([member, operand]) => [member, operand(scope)])), name);
  };
