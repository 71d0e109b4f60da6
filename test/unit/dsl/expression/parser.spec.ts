import { ExpressionError } from '../../../../dsl';
import { CALL_HEIGHT, MAX_DEPTH, MAX_HEIGHT, MAX_NODES, MAX_SOURCE } from '../../../../dsl/expression/limits';
import { parse } from '../../../../dsl/expression/parser';
import { print } from '../support/print';

const failure = (source: string): ExpressionError => {
  try {
    parse(source);
  } catch (error) {
    if (error instanceof ExpressionError) return error;
    throw error;
  }
  throw new Error(`expected ${source} to be refused`);
};

describe('precedence', () => {
  test.each([
    ['1 + 2 * 3', '1 + 2 * 3'],
    ['(1 + 2) * 3', '(1 + 2) * 3'],
    ['1 - 2 - 3', '1 - 2 - 3'],
    ['1 - (2 - 3)', '1 - (2 - 3)'],
    ['((1 - 2)) - 3', '1 - 2 - 3'],
    ['-1 * 2', '-1 * 2'],
    ['-(1 * 2)', '-(1 * 2)'],
    ['!true && false', '!true && false'],
    ['!(true && false)', '!(true && false)'],
    ['true || false && null', 'true || false && null'],
    ['(true || false) && null', '(true || false) && null'],
    ['env.a ?? 1 || 2', 'env.a ?? 1 || 2'],
    ['(env.a ?? 1) || 2', '(env.a ?? 1) || 2'],
    ['1 < 2 == true', '1 < 2 == true'],
    ['1 < (2 == true)', '1 < (2 == true)'],
    ['1 in [1] == true', '1 in [1] == true'],
    ['1 + 1 in [2]', '1 + 1 in [2]'],
    ['true ? 1 : false ? 2 : 3', 'true ? 1 : false ? 2 : 3'],
    ['(true ? 1 : 2) + 3', '(true ? 1 : 2) + 3'],
    ['1 + 2 | string', 'string(1 + 2)'],
    ['true ? 1 : 2 | string', 'string(true ? 1 : 2)'],
    ['1 + (2 | string)', '1 + string(2)'],
    ['"x" | pad(3) | upper()', 'upper(pad("x", 3))'],
    ['-env.a[0].b', '-env.a[0].b'],
    ['(-1).a', '(-1).a'],
  ])('%s reads as %s', (source, expected) => {
    expect(print(parse(source))).toBe(expected);
  });
});

describe('notation', () => {
  test.each([
    ["steps.my-step.content-type['a b'][-1].0", 'steps.my-step.content-type["a b"][-1].0'],
    ['env . a\n\t[ 0 ]', 'env.a[0]'],
    ["{a: 1, 'b c': [2, 3,],}", '{"a": 1, "b c": [2, 3]}'],
    ['[]', '[]'],
    ['{}', '{}'],
    ['now()', 'now()'],
    ['1.5e3', '1500'],
    [`'it\\'s' + "\\u0041\\n\\t\\r\\b\\f\\/\\\\"`, '"it\'s" + "A\\n\\t\\r\\b\\f/\\\\"'],
    ['env.true', 'env.true'],
    ['env.a - 1', 'env.a - 1'],
    ['env.in in env.null', 'env.in in env.null'],
  ])('%s reads as %s', (source, expected) => {
    expect(print(parse(source))).toBe(expected);
  });

  test('a minus directly after a member belongs to its name', () => {
    expect(parse('env.a-1')).toMatchObject({ kind: 'path', segments: [{ name: 'a-1' }] });
  });
});

describe('what is no expression is refused with its position', () => {
  test.each([
    ['', 'the expression is empty', 0],
    ['   ', 'the expression is empty', 3],
    ['1 +', 'the expression ends too early', 3],
    ['1 2', 'unexpected 2', 2],
    ['env .a "x"', 'unexpected a text', 7],
    ['1 .a.b c', 'unexpected c', 7],
    ['(1', 'expected ), found the end', 2],
    ['[1 2]', 'expected , or ], found 2', 3],
    ['{a 1}', 'expected :, found 1', 3],
    ['{1: 2}', 'a key is a name or a quoted text', 1],
    ['{a: 1 b: 2}', 'expected , or }, found b', 6],
    ['f(1', 'expected , or ), found the end', 3],
    ['env[0', 'expected ], found the end', 5],
    ['env[.a]', 'unexpected .a', 4],
    ['true ? 1', 'expected :, found the end', 8],
    ['1 | 2', 'a pipe needs the name of a function', 4],
    ['1 |', 'a pipe needs the name of a function', 3],
    ['1 | true', 'a pipe needs the name of a function', 4],
    ['"abc', 'the text has no closing quote', 0],
    ["'a\\x'", 'unknown escape; known are', 2],
    ["'a\\u12'", 'unknown escape; known are', 2],
    ["'\\", 'unknown escape; known are', 1],
    ['a = 1', 'there is no assignment; to compare, write ==', 2],
    ['a & b', 'unexpected &; "and" is written &&', 2],
    ['a and b', 'unexpected and; "and" is written &&', 2],
    ['(a OR b)', 'expected ), found OR; "OR" is written ||', 3],
    ['[not a]', 'expected , or ], found a; "not" is written !', 5],
    ['not a', 'unexpected a; "not" is written !', 4],
    ['a @ b', 'unexpected character "@"', 2],
    ['1e999', 'the number is too large', 0],
    ['env..a', 'unexpected .', 3],
    ['a; b', 'unexpected character ";"', 1],
    ['x => x', 'there is no assignment', 2],
    ['`a`', 'unexpected character "`"', 0],
  ])('%j: %s', (source, message, position) => {
    const error = failure(source);
    expect(error.message).toContain(message);
    expect(error).toMatchObject({ source, position, name: 'ExpressionError' });
  });
});

describe('bounds', () => {
  const deep = (open: string, close: string, depth: number): string => open.repeat(depth) + '1' + close.repeat(depth);

  test.each([
    ['(', ')'],
    ['[', ']'],
    ['{a:', '}'],
    ['abs(', ')'],
    ['env[', ']'],
    ['!', ''],
    ['- ', ''],
    ['true ? 1 : ', ''],
    ['true ? ', ' : 1'],
  ])('%s nests to the limit and no further', (open, close) => {
    expect(() => parse(deep(open, close, MAX_DEPTH - 1))).not.toThrow();
    expect(failure(deep(open, close, MAX_DEPTH)).message).toBe(`nested deeper than ${MAX_DEPTH}`);
    expect(failure(deep(open, close, 1_000)).message).toBe(`nested deeper than ${MAX_DEPTH}`);
  });

  test('a chain is not nesting, but its links are counted, and those of calls four times', () => {
    const tooHigh = 'too many operators or pipes after each other';
    const sum = (links: number): string => `1${'+1'.repeat(links)}`;
    const pipe = (links: number): string => `1${'|abs'.repeat(links)}`;
    expect(() => parse(sum(MAX_HEIGHT - 1))).not.toThrow();
    expect(failure(`!(${sum(MAX_HEIGHT - 1)})`).message).toBe(tooHigh);
    const calls = Math.floor((MAX_HEIGHT - 1) / CALL_HEIGHT);
    expect(() => parse(pipe(calls))).not.toThrow();
    expect(failure(pipe(calls + 1)).message).toBe(tooHigh);
    expect(failure(`[${pipe(calls)}]|join`).message).toBe(tooHigh);
  });

  test('the parts of an expression are counted', () => {
    const list = (length: number): string => `[${Array(length).fill('1').join()}]`;
    expect(() => parse(list(MAX_NODES - 1))).not.toThrow();
    expect(failure(list(MAX_NODES)).message).toBe(`more than ${MAX_NODES} parts`);
  });

  test('the length of the source is limited', () => {
    expect(() => parse(`1${' '.repeat(MAX_SOURCE - 1)}`)).not.toThrow();
    expect(failure(`1${' '.repeat(MAX_SOURCE)}`).message).toBe(`longer than ${MAX_SOURCE} characters`);
  });
});
