import { ServerError } from '../../bson/error';
import { typeName } from '../../bson/types';
import { type Doc, type Maybe, Regex, type Value } from '../../bson/value';
import { compileRegex } from '../../query/regex';
import { type Compiler, type Expr, isNullish, literal, membersOf, type Operator, type Operators } from '../operator';

/** The pattern as a RegExp, or undefined when it is null. */
function regexOf(pattern: Maybe, options: Maybe, name: string): RegExp | undefined {
  if (!isNullish(options) && typeof options !== 'string')
    throw new ServerError(51106, `${name} needs 'options' to be of type string`);
  const given = isNullish(options) ? '' : options;
  if (isNullish(pattern)) return undefined;
  if (typeof pattern === 'string') return compileRegex(pattern, given, 'g');
  if (!(pattern instanceof Regex)) throw new ServerError(51105, `${name} needs 'regex' to be of type string or regex`);
  if (pattern.options !== '' && given !== '')
    throw new ServerError(51107, `${name}: options set in both 'regex' and 'options'`);
  return compileRegex(pattern.pattern, given || pattern.options, 'g');
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

const regexOperator =
  (nothing: Value, apply: (text: string, regex: RegExp) => Maybe): Operator =>
  (argument, compiler, name) => {
    const members = membersOf(name, argument, ['input', 'regex'], ['options']);
    const input = compiler.compile(members.get('input') as Value);
    const source = regexSource(members, compiler, name);
    return (scope) => {
      const text = input(scope);
      const regex = source(scope);
      if (isNullish(text) || regex === undefined) return nothing;
      if (typeof text !== 'string')
        throw new ServerError(51104, `${name} needs 'input' to be of type string, found: ${typeName(text)}`);
      regex.lastIndex = 0;
      return apply(text, regex);
    };
  };

const codePointLength = (text: string): number => Array.from(text).length;

function found(text: string, match: RegExpExecArray): Doc {
  return new Map<string, Value>([
    ['match', match[0]],
    ['idx', codePointLength(text.slice(0, match.index))],
    ['captures', match.slice(1).map((capture: string | undefined) => capture ?? null)],
  ]);
}

export const regex: Operators = {
  $regexMatch: regexOperator(false, (text, pattern) => pattern.test(text)),
  $regexFind: regexOperator(null, (text, pattern) => {
    const match = pattern.exec(text);
    return match === null ? null : found(text, match);
  }),
  $regexFindAll: regexOperator([], (text, pattern) =>
    [...text.matchAll(pattern)]
      // PCRE's loop stops at the end of the text: an empty match there is not counted.
      .filter((match) => match.index < text.length || match.index === 0)
      .map((match) => found(text, match)),
  ),
};
