import { compileExpression } from '../aggregate/expression';
import type { Doc, Value } from '../bson/value';
import type { Context } from './context';

const NONE: ReadonlyMap<string, Value> = new Map();

/** The command's `let` and a statement's constants, readable as `$$name`. */
export function variablesOf({ command }: Pick<Context, 'command'>, constants?: Doc): ReadonlyMap<string, Value> {
  const given = command.has('let') ? command.doc('let') : undefined;
  if (given === undefined && constants === undefined) return NONE;
  return new Map([...evaluateVariables(given ?? new Map(), NONE), ...evaluateVariables(constants ?? new Map(), NONE)]);
}

/** Variables whose values are expressions; a command's `let` has no document to refer to. */
function evaluateVariables(
  given: Doc,
  outer: ReadonlyMap<string, Value>,
  document: Doc = new Map(),
): ReadonlyMap<string, Value> {
  const values = new Map(outer);
  for (const [name, expression] of given)
    values.set(name, compileExpression(expression, { let: outer })(document) ?? null);
  return values;
}
