import { failureOf, holds, valueOf } from '../support/env';

const env = { zero: 0, empty: [], none: null, list: [1, { a: 1 }], object: { a: 1, b: [2] }, text: 'abc' };

test.each([
  ['1 + 2', 3],
  ['"a" + "b"', 'ab'],
  ['"a" + 1', 'a1'],
  ['1 + "a"', '1a'],
  ['"n:" + null', 'n:'],
  ['"x" + env.list', 'x[1,{"a":1}]'],
  ['true + "!"', 'true!'],
  ['5 - 7', -2],
  ['3 * 4', 12],
  ['7 / 2', 3.5],
  ['7 % 4', 3],
  ['-7 % 4', -3],
  ['-env.zero', 0],
  ['0 * -1', 0],
  ['--1', 1],
  ['1 == 1', true],
  ['1 == "1"', false],
  ['null == false', false],
  ['env.list == [1, {a: 1}]', true],
  ['env.object == {b: [2], a: 1}', true],
  ['env.object == {a: 1}', false],
  ['{a: 1} == {b: 1}', false],
  ['[1] == [1, 2]', false],
  ['[1] == {a: 1}', false],
  ['{a: 1} == [1]', false],
  ['{a: 1} == 1', false],
  ['[] != []', false],
  ['1 != 2', true],
  ['1 < 2', true],
  ['2 <= 2', true],
  ['"b" > "a"', true],
  ['"B" >= "a"', false],
  ['2 > 10', false],
  ['null < 1', false],
  ['1 >= null', false],
  ['1 in env.list', true],
  ['{a: 1} in env.list', true],
  ['"1" in env.list', false],
  ['null in [null]', true],
  ['"a" in env.object', true],
  ['"constructor" in env.object', false],
  ['"__proto__" in env.object', false],
  ['null in env.object', false],
  ['"bc" in env.text', true],
  ['"x" in null', false],
  ['!0', true],
  ['!""', true],
  ['![]', true],
  ['!{}', false],
  ['!null', true],
  ['!"a"', false],
  ['0 || "x"', 'x'],
  ['1 || env.missing', 1],
  ['1 && "x"', 'x'],
  ['0 && env.missing', 0],
  ['null ?? 1', 1],
  ['false ?? 1', false],
  ['env.missing ?? 1', 1],
  ['env.missing.deeper[0] ?? 1', 1],
  ['(env.missing + 1) ?? 2', 2],
  ['(env.missing + "a") ?? 2', 2],
  ['-env.missing ?? 2', 2],
  ['upper(env.missing) ?? 2', 2],
  ['true ? 1 : 2', 1],
  ['[] ? 1 : 2', 2],
  ['env.missing ? 1 : 2', 2],
  ['env.missing > 1 ? 1 : 2', 2],
  ['true ? 1 : env.missing', 1],
  ['[1, "a", [null]]', [1, 'a', [null]]],
  ['{a: 1, "b c": {d: true}}', { a: 1, 'b c': { d: true } }],
  ['{a: 1, a: 2}', { a: 2 }],
])('%s is %j', (source, expected) => {
  expect(valueOf(source, { env })).toEqual(expected);
});

test.each([
  ['1 + true', '+ needs numbers, not number and boolean'],
  ['[] + []', '+ needs numbers, not array and array'],
  ['1 + null', '+ needs numbers, not null'],
  ['"a" - 1', '- needs numbers, not string and number'],
  ['"2" * 2', '* needs numbers, not string and number'],
  ['1 / 0', 'the result is not a finite number'],
  ['1 % 0', 'the result is not a finite number'],
  ['1e308 * 10', 'the result is not a finite number'],
  ['1 < "2"', '< compares two numbers or two strings, not number and string'],
  ['true > false', '> compares two numbers or two strings, not boolean and boolean'],
  ['[1] <= [2]', '<= compares two numbers or two strings, not array and array'],
  ['1 in "123"', 'looks in an array'],
  ['1 in 2', 'not for number in number'],
  ['-"a"', '- needs a number, not string'],
  ['-null', '- needs a number, not null'],
  ['env.a', 'env.a does not exist: env has zero, empty, none, list, object, text'],
  ['null ?? env.a', 'env.a does not exist'],
  ['1 && env.a', 'env.a does not exist'],
  ['foo', 'unknown name foo'],
  ['foo ?? 1', 'unknown name foo'],
  ['step.a', 'unknown name step; did you mean "steps"?'],
  ['nosuch(1)', 'unknown function nosuch'],
  ['uper("a")', 'unknown function uper; did you mean "upper"?'],
  ['upper()', 'upper takes 1 argument, not 0'],
  ['round(1, 2, 3)', 'round takes 1 to 2 arguments, not 3'],
])('%s fails: %s', (source, message) => {
  expect(failureOf(source, { env }).message).toContain(message);
});

describe('in a condition what is missing is null, and spreads', () => {
  test.each([
    ['steps.a.b', false],
    ['!steps.a.b', true],
    ['steps.a.total > 5', false],
    ['steps.a.total > 5 || true', true],
    ['upper(steps.a.name) == "X"', false],
    ['steps.a.b == null', true],
    ['steps.a.b + 1 == null', true],
    ['loop.index == 1', false],
    ['steps.a.b[steps.c]', false],
    ['-steps.a.b', false],
  ])('%s: %s', (source, expected) => {
    expect(holds(source, { steps: {} })).toBe(expected);
  });

  test('what is wrong for another reason still fails', () => {
    expect(() => holds('1 + true')).toThrow('+ needs numbers');
    expect(() => holds('unknown.name')).toThrow('unknown name');
    expect(() => holds('round("x")')).toThrow('must be number, not string');
  });
});
