import type { Json, JsonObject } from '../../lib/json';
import { didYouMean } from '../suggest';
import type { BinaryOperator, Expression } from './ast';
import { ROOTS } from './evaluation-context';
import { AbsentError } from './error';
import { FUNCTIONS } from './functions';
import { Arguments } from './functions/arguments';
import { negate, OPERATIONS } from './operators';
import { evaluatePath } from './path';
import { absent, fail, measured, type EvaluationState, spend } from './evaluation-state';
import { setOwn, truthy } from './values';

type Node<K extends Expression['kind']> = Extract<Expression, { kind: K }>;

const KNOWN_ROOTS: ReadonlySet<string> = new Set(ROOTS);

/** The value of an expression. Throws ExpressionError, and nothing else, for any tree within the parser's limits. */
export function evaluate(expression: Expression, scope: EvaluationState): Json {
  spend(scope, 1);
  switch (expression.kind) {
    case 'literal':
      return expression.value;
    case 'root':
      return evaluateRoot(expression, scope);
    case 'path':
      return evaluatePath(expression, scope, evaluate);
    case 'binary':
      return evaluateBinary(expression.operator, expression, scope);
    case 'unary': {
      const operand = evaluate(expression.operand, scope);
      return expression.operator === '!' ? !truthy(operand) : negate(operand, scope, expression.position);
    }
    case 'conditional':
      return truthy(evaluateLenient(expression.test, scope))
        ? evaluate(expression.whenTrue, scope)
        : evaluate(expression.whenFalse, scope);
    case 'call':
      return evaluateCall(expression, scope);
    case 'list':
      return expression.items.map((item) => evaluate(item, scope));
    case 'object': {
      const object: JsonObject = {};
      for (const { key, value } of expression.entries) setOwn(object, key, evaluate(value, scope));
      return object;
    }
  }
}

/** The same, with what is missing read as null. */
export function evaluateLenient(expression: Expression, scope: EvaluationState): Json {
  const before = scope.lenient;
  scope.lenient = true;
  try {
    return evaluate(expression, scope);
  } finally {
    scope.lenient = before;
  }
}

function evaluateRoot({ name, position }: Node<'root'>, scope: EvaluationState): Json {
  const { roots = ROOTS } = scope.env;
  if (roots === ROOTS ? !KNOWN_ROOTS.has(name) : !roots.includes(name)) {
    throw fail(scope, position, unknownMessage('name', name, roots));
  }
  const value = scope.env.root(name);
  if (value !== undefined) return value;
  if (scope.lenient) return null;
  throw absent(scope, position, `${name} is not available here`);
}

function evaluateBinary(
  operator: BinaryOperator,
  { left, right, position }: Node<'binary'>,
  scope: EvaluationState,
): Json {
  switch (operator) {
    case '??':
      return evaluateLenient(left, scope) ?? evaluate(right, scope);
    case '||': {
      const value = evaluate(left, scope);
      return truthy(value) ? value : evaluate(right, scope);
    }
    case '&&': {
      const value = evaluate(left, scope);
      return truthy(value) ? evaluate(right, scope) : value;
    }
    default:
      return OPERATIONS[operator](evaluate(left, scope), evaluate(right, scope), scope, position);
  }
}

function evaluateCall({ name, args, position }: Node<'call'>, scope: EvaluationState): Json {
  const spec = FUNCTIONS.get(name);
  if (spec === undefined) {
    throw fail(scope, position, unknownMessage('function', name, FUNCTIONS.keys()));
  }
  if (args.length < spec.min || args.length > spec.max) throw fail(scope, position, arityMessage(name, args.length));
  try {
    const value = spec.call(new Arguments(name, args, scope, position, evaluate));
    return typeof value === 'string' ? measured(scope, value, position) : value;
  } catch (error) {
    if (error instanceof AbsentError && scope.lenient) return null;
    throw error;
  }
}

const unknownMessage = (what: string, name: string, known: Iterable<string>): string =>
  [`unknown ${what} ${name}`, didYouMean(name, known)].filter(Boolean).join('; ');

/** Says how many arguments a function takes. */
export function arityMessage(name: string, given: number): string {
  const { min, max } = FUNCTIONS.get(name) as { min: number; max: number };
  const wanted = min === max ? String(min) : `${min} to ${max}`;
  return `${name} takes ${wanted} ${wanted === '1' ? 'argument' : 'arguments'}, not ${given}`;
}
