import type { Doc, Value } from '../bson/value';
import type { Context } from './context';

const NONE: ReadonlyMap<string, Value> = new Map();

/** The command's `let` and a statement's own constants, which may be seen as `$$name`. */
export function variablesOf({ command }: Pick<Context, 'command'>, constants?: Doc): ReadonlyMap<string, Value> {
  const given = command.has('let') ? command.doc('let') : undefined;
  if (given === undefined && constants === undefined) return NONE;
  return new Map([...(given ?? NONE), ...(constants ?? NONE)]);
}
