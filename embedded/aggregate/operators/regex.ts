import { ServerError } from '../../bson/error';
import { typeName } from '../../bson/types';
import { type Maybe, Regex, type Value } from '../../bson/value';
import { compileRegex } from '../../query/regex';
import { type Compiler, type Expr, isNullish, literal, membersOf, type Operators } from '../operator';

/** The pattern as a RegExp, or undefined when it is null. */
function regexOf(pattern: Maybe, options: Maybe, name: string): RegExp | undefined {
  if (!isNullish(options) && typeof options !== 'string')
    throw new ServerError(51106, `${name} needs 'options' to be of type string`);
  const given = isNullish(options) ? '' : options;
  if (isNullish(pattern)) return undefined;
  if (typeof pattern === 'string') return compileRegex(pattern, given);
  if (!(pattern instanceof Regex)) throw new ServerError(51105, `${name} needs 'regex' to be of type string or regex`);
  if (pattern.options !== '' && given !== '')
    throw new ServerError(51107, `${name}: options set in both 'regex' and 'options'`);
  return compileRegex(pattern.pattern, given || pattern.options);
}

/** The regular expression is compiled once when it is a literal, as it nearly always is. */
function regexSource(
  members: Map<string, Value>,
  compiler: Compiler,
  name: string,
): (scope: Parameters<Expr>[0]) => RegExp | undefined {
  const pattern = compiler.compile(members.get('regex') as Value);
  const options = members.has('options') ? compiler.compile(members.get('options') as Value) : literal(null);
  if (pattern.constant !== undefined && options.constant !== undefined) {
    const fixed = regexOf(pattern.constant, options.constant, name);
    return () => fixed;
  }
  return (scope) => regexOf(pattern(scope), options(scope), name);
}

function regexMatch(argument: Value, compiler: Compiler, name: string): Expr {
  const members = membersOf(name, argument, ['input', 'regex'], ['options']);
  const input = compiler.compile(members.get('input') as Value);
  const source = regexSource(members, compiler, name);
  return (scope) => {
    const text = input(scope);
    const regex = source(scope);
    if (isNullish(text) || regex === undefined) return false;
    if (typeof text !== 'string')
      throw new ServerError(51104, `${name} needs 'input' to be of type string, found: ${typeName(text)}`);
    return regex.test(text);
  };
}

export const regex: Operators = { $regexMatch: regexMatch };
