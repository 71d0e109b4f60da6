import { createHash, createHmac } from 'node:crypto';
import { FUNCTIONS } from '../../../../dsl/expression/functions';
import { isUuid } from '../../../../lib/ids';
import type { Json, JsonObject } from '../../../../lib/json';
import { failureOf, valueOf } from '../support/env';

const people: Json[] = [
  { name: 'Bea', age: 30, team: 'x', at: { city: 'Rome' } },
  { name: 'Al', age: 25, team: 'y' },
  { name: 'Cy', age: 30, team: 'x', at: { city: 'Oslo' } },
];
const env: JsonObject = { people, text: 'Hello World', list: [3, 1, 2], none: null, object: { a: 1, b: 2, c: 3 } };
const sha = (text: string, algorithm = 'sha256') => createHash(algorithm).update(text);

const VALUES: Record<string, [source: string, expected: unknown][]> = {
  upper: [['upper("straße")', 'STRASSE']],
  lower: [['lower("ÄB")', 'äb']],
  trim: [['trim("  a \\n")', 'a']],
  capitalize: [
    ['capitalize("hello World")', 'Hello World'],
    ['capitalize("")', ''],
    ['capitalize("ñandú")', 'Ñandú'],
    ['capitalize("😀a")', '😀a'],
  ],
  title: [['title("the QUICK  fox-trot")', 'The Quick  Fox-trot']],
  slug: [
    ['slug("  Crème Brûlée & Co. ")', 'creme-brulee-co'],
    ['slug("---")', ''],
    ['slug("日本 語")', '日本-語'],
  ],
  split: [
    ['split("a,b,,c", ",")', ['a', 'b', '', 'c']],
    ['split("  a  b\\tc ")', ['a', 'b', 'c']],
    ['split("abc", "")', ['a', 'b', 'c']],
  ],
  join: [
    ['join([1, "a", null, true])', '1,a,,true'],
    ['join([[1], {a: 1}], " ")', '[1] {"a":1}'],
    ['join([])', ''],
  ],
  replace: [
    ['replace("a.b.c", ".", "-")', 'a-b-c'],
    ['replace("aaa", "a", "$&")', '$&$&$&'],
    ['replace("abc", "x", "y")', 'abc'],
  ],
  starts_with: [
    ['starts_with("abc", "ab")', true],
    ['starts_with("abc", "b")', false],
  ],
  ends_with: [
    ['ends_with("abc", "bc")', true],
    ['ends_with("abc", "b")', false],
  ],
  contains: [
    ['contains("abc", "b")', true],
    ['contains([1, {a: 2}], {a: 2})', true],
    ['contains({a: 1}, "a")', true],
    ['contains(null, "a")', false],
  ],
  length: [
    ['length("a😀b")', 3],
    ['length([1, 2])', 2],
    ['length({a: 1})', 1],
    ['length("")', 0],
  ],
  slice: [
    ['slice("abcdef", 1, 3)', 'bc'],
    ['slice("a😀b", 1, 2)', '😀'],
    ['slice("abc", -2)', 'bc'],
    ['slice([1, 2, 3], 1)', [2, 3]],
    ['slice([1, 2, 3], 5)', []],
  ],
  pad: [
    ['pad("7", 3, "0")', '007'],
    ['pad("7", 3)', '  7'],
    ['pad("7", 4, "ab", "right")', '7aba'],
    ['pad("abc", 2)', 'abc'],
    ['pad("😀", 3, "😀")', '😀😀😀'],
  ],
  truncate: [
    ['truncate("abcdef", 4)', 'abc…'],
    ['truncate("abc", 3)', 'abc'],
    ['truncate("abcdef", 5, "...")', 'ab...'],
    ['truncate("abcdef", 2, "...")', '..'],
    ['truncate("😀😀😀", 2)', '😀…'],
  ],
  number: [
    ['number(" 12.5 ")', 12.5],
    ['number("-3e2")', -300],
    ['number(".5")', 0.5],
    ['number("-0")', 0],
    ['number(7)', 7],
    ['[number(true), number(false)]', [1, 0]],
  ],
  round: [
    ['round(2.5)', 3],
    ['round(-2.5)', -3],
    ['round(1.005, 2)', 1.01],
    ['round(1234.5678, 1)', 1234.6],
    ['round(1e21, 2)', 1e21],
    ['round(123456789.5, 15)', 123456789.5],
    ['round(-0.2)', 0],
    ['round(1e-7, 2)', 0],
    ['round(-0.0000004, 6)', 0],
  ],
  floor: [
    ['floor(-1.5)', -2],
    ['floor(0.5)', 0],
  ],
  ceil: [
    ['ceil(-0.5)', 0],
    ['ceil(1.2)', 2],
  ],
  abs: [['abs(-3)', 3]],
  min: [
    ['min([3, 1, 2])', 1],
    ['min(3, 1)', 1],
    ['min([])', null],
    ['min([null, 4])', 4],
  ],
  max: [['max(3, 9, 2)', 9]],
  sum: [
    ['sum([1, 2, 3.5])', 6.5],
    ['sum([])', 0],
    ['sum(1, 2)', 3],
  ],
  avg: [
    ['avg([1, 2, 6])', 3],
    ['avg([])', null],
  ],
  first: [
    ['first([1, 2])', 1],
    ['first([])', null],
  ],
  last: [
    ['last([1, 2])', 2],
    ['last([])', null],
  ],
  at: [
    ['at([1, 2], -1)', 2],
    ['at([1, 2], 9)', null],
  ],
  sort: [
    ['sort(env.list)', [1, 2, 3]],
    ['sort(env.list, "desc")', [3, 2, 1]],
    ['sort(["b", 2, null, "a", true, 1, {}, [], false])', [null, false, true, 1, 2, 'a', 'b', {}, []]],
    ['sort(env.people, "age") | map_field("name")', ['Al', 'Bea', 'Cy']],
    ['sort(env.people, "name", "desc") | map_field("name")', ['Cy', 'Bea', 'Al']],
    ['sort(env.people, "at.city") | map_field("name")', ['Al', 'Cy', 'Bea']],
    ['sort([{desc: 2}, {desc: 1}], "desc", "asc")', [{ desc: 1 }, { desc: 2 }]],
    [`sort([{"a b": [2]}, {"a b": [1]}], "['a b'][-1]")`, [{ 'a b': [1] }, { 'a b': [2] }]],
  ],
  reverse: [
    ['reverse([1, 2])', [2, 1]],
    ['reverse("a😀")', '😀a'],
  ],
  unique: [
    ['unique([1, "1", 1, {a: 1, b: 2}, {b: 2, a: 1}])', [1, '1', { a: 1, b: 2 }]],
    ['unique(env.people, "team") | map_field("name")', ['Bea', 'Al']],
  ],
  flatten: [
    ['flatten([1, [2, [3]]])', [1, 2, [3]]],
    ['flatten([1, [2, [3]]], 5)', [1, 2, 3]],
    ['flatten([[1]], 0)', [[1]]],
  ],
  map_field: [
    ['map_field(env.people, "at.city")', ['Rome', null, 'Oslo']],
    ['map_field([[1, 2], [3]], "-1")', [2, 3]],
    ['map_field([[1]], "x")', [null]],
    ['map_field(env.people, "constructor")', [null, null, null]],
  ],
  filter_field: [
    ['filter_field(env.people, "team", "x") | map_field("name")', ['Bea', 'Cy']],
    ['filter_field(env.people, "at") | length', 2],
  ],
  group_by: [
    ['group_by(env.people, "team") | keys', ['x', 'y']],
    ['length(group_by(env.people, "team").x)', 2],
    ['group_by([{}], "k")', { '': [{}] }],
  ],
  index_by: [['index_by(env.people, "name").Cy.age', 30]],
  range: [
    ['range(3)', [0, 1, 2]],
    ['range(1, 3)', [1, 2]],
    ['range(5, 0, -2)', [5, 3, 1]],
    ['range(3, 1)', []],
  ],
  chunk: [
    ['chunk([1, 2, 3], 2)', [[1, 2], [3]]],
    ['chunk([], 2)', []],
  ],
  compact: [['compact([0, null, "", false, [], {}, [1], {a: 1}, "a"])', [0, false, [1], { a: 1 }, 'a']]],
  keys: [['keys(env.object)', ['a', 'b', 'c']]],
  values: [['values(env.object)', [1, 2, 3]]],
  entries: [['entries({a: 1})', [{ key: 'a', value: 1 }]]],
  pick: [
    ['pick(env.object, "a", "c", "x", "toString")', { a: 1, c: 3 }],
    ['pick(env.object, ["b"])', { b: 2 }],
  ],
  omit: [
    ['omit(env.object, "a")', { b: 2, c: 3 }],
    ['omit(env.object, ["a", "b"])', { c: 3 }],
  ],
  merge: [['merge({a: 1, b: {c: 1}}, {b: {d: 1}}, {e: 2})', { a: 1, b: { d: 1 }, e: 2 }]],
  now: [['now()', '2026-01-31T09:30:00.000Z']],
  date: [
    ['date("2026-03-01")', '2026-03-01T00:00:00.000Z'],
    ['date("2026-03-01T10:00+02:00")', '2026-03-01T08:00:00.000Z'],
    ['date("2026-03-01 10:00:05.1239 -0530")', '2026-03-01T15:30:05.123Z'],
    ['date("2026-07-01 12:00", "Europe/Berlin")', '2026-07-01T10:00:00.000Z'],
    ['date("2026-01-01 12:00", "America/New_York")', '2026-01-01T17:00:00.000Z'],
    ['date("2026-10-25 02:30", "Europe/Berlin")', '2026-10-25T00:30:00.000Z'],
    ['date("2026-03-29 02:30", "Europe/Berlin")', '2026-03-29T01:30:00.000Z'],
    ['date("2024-02-29t23:59:59z")', '2024-02-29T23:59:59.000Z'],
    ['date(1700000000)', '2023-11-14T22:13:20.000Z'],
    ['date(1700000000000)', '2023-11-14T22:13:20.000Z'],
  ],
  format_date: [
    ['format_date(now())', '2026-01-31'],
    [
      'format_date("2026-03-05T15:04:09.087Z", "EEEE EEE d D dd DD, MMMM MMM MM M yyyy YYYY yy YY")',
      'Thursday Thu 5 5 05 05, March Mar 03 3 2026 2026 26 26',
    ],
    [
      'format_date("2026-03-05T15:04:09.087Z", "HH H hh h mm m ss s SSS a Z X x")',
      '15 15 03 3 04 4 09 9 087 PM Z 1772723049 1772723049087',
    ],
    ['format_date("2026-03-05T00:04:00Z", "h a")', '12 AM'],
    ['format_date("2026-07-05T12:00:00Z", "yyyy-MM-ddTHH:mm:ssZ", "Asia/Kolkata")', '2026-07-05T17:30:00+05:30'],
    ['format_date("2026-07-05T12:00:00Z", "HH:mm Z", "America/St_Johns")', '09:30 -02:30'],
    [`format_date("2026-07-05", "'week of' dd '''' ''")`, "week of 05 ' '"],
  ],
  add_time: [
    ['add_time(now(), "1d2h")', '2026-02-01T11:30:00.000Z'],
    ['add_time(now(), "-30m")', '2026-01-31T09:00:00.000Z'],
    ['add_time(now(), 90)', '2026-01-31T09:31:30.000Z'],
    ['add_time(now(), -90)', '2026-01-31T09:28:30.000Z'],
    ['add_time(now(), 1, "months")', '2026-02-28T09:30:00.000Z'],
    ['add_time(now(), -2, "months")', '2025-11-30T09:30:00.000Z'],
    ['add_time("2024-02-29", 1, "years")', '2025-02-28T00:00:00.000Z'],
    ['add_time("1969-12-31T23:00:00Z", 1, "months")', '1970-01-31T23:00:00.000Z'],
    ['add_time(now(), 2, "w")', '2026-02-14T09:30:00.000Z'],
  ],
  diff_time: [
    ['diff_time("2026-02-01", "2026-01-31")', 86_400],
    ['diff_time("2026-01-31", "2026-02-01", "h")', -24],
    ['diff_time(now(), now())', 0],
    ['diff_time(-0.0000001, 0)', 0],
  ],
  json: [
    ['json({a: [1, null, "x"]})', '{"a":[1,null,"x"]}'],
    ['json("a")', '"a"'],
  ],
  parse_json: [['parse_json("{\\"a\\": [1]}").a[0]', 1]],
  base64: [['base64("hé")', 'aMOp']],
  unbase64: [
    ['unbase64("aMOp")', 'hé'],
    ['unbase64("aM Op\\n")', 'hé'],
    ['unbase64("_-8=" | replace("_-8=", "YQ"))', 'a'],
  ],
  url_encode: [
    ['url_encode("a b&c/é")', 'a%20b%26c%2F%C3%A9'],
    ['url_encode("\\ud800")', '%EF%BF%BD'],
  ],
  url_decode: [['url_decode("a%20b%26")', 'a b&']],
  hash: [
    ['hash("a")', sha('a').digest('hex')],
    ['hash({a: 1})', sha('{"a":1}').digest('hex')],
    ['hash("a", "md5", "base64")', sha('a', 'md5').digest('base64')],
  ],
  hmac: [
    ['hmac("a", "k")', createHmac('sha256', 'k').update('a').digest('hex')],
    ['hmac("a", "k", "sha1", "base64url")', createHmac('sha1', 'k').update('a').digest('base64url')],
  ],
  uuid: [['uuid() == uuid()', true]],
  match: [
    ['match("order 42", "\\\\d+")', true],
    ['match("order", "^\\\\d+$")', false],
    ['match("ABC", "(?i)abc")', true],
  ],
  extract: [
    ['extract("order 42", "\\\\d+")', '42'],
    ['extract("order 42", "order (\\\\d+)")', '42'],
    ['extract("order 42", "order (\\\\d+)", 0)', 'order 42'],
    ['extract("a=1", "(?P<k>\\\\w)=(?P<v>\\\\w)", "v")', '1'],
    ['extract("x", "\\\\d+")', null],
    ['extract("x", "(?P<n>\\\\d)", "n")', null],
    ['extract("b", "(a)|b")', null],
  ],
  string: [
    ['string(1.50)', '1.5'],
    ['string(null)', ''],
    ['string({a: 1})', '{"a":1}'],
    ['string(true)', 'true'],
  ],
  boolean: [
    ['[boolean("false"), boolean(" No "), boolean("0"), boolean("")]', [false, false, false, false]],
    ['[boolean("yes"), boolean("a long text that is no false word"), boolean(1)]', [true, true, true]],
    ['[boolean([]), boolean({}), boolean(null)]', [false, true, false]],
  ],
  type: [
    [
      '[type(null), type(true), type(1), type("a"), type([]), type({})]',
      ['null', 'boolean', 'number', 'string', 'array', 'object'],
    ],
  ],
  default: [
    ['default(env.none, 1)', 1],
    ['env.missing.path | default("-")', '-'],
    ['env.missing | upper | default("-")', '-'],
    ['default("a", env.missing)', 'a'],
    ['default(false, 1)', false],
  ],
  exists: [
    ['exists(env.text)', true],
    ['exists(env.none)', false],
    ['exists(env.missing.deeper)', false],
    ['exists(loop)', false],
  ],
  approval_link: [],
  form_link: [],
};

describe.each(Object.entries(VALUES))('%s', (_name, rows) => {
  if (rows.length === 0) test('has its own test', () => expect(rows).toEqual([]));
  else test.each(rows)('%s', (source, expected) => expect(valueOf(source, { env })).toEqual(expected));
});

test('every function is in the table above', () => {
  expect([...FUNCTIONS.keys()].sort()).toEqual(Object.keys(VALUES).sort());
});

test('uuid takes its time and randomness from the environment', () => {
  expect(isUuid(valueOf('uuid()') as string)).toBe(true);
  const other = { random: (bytes: number) => new Uint8Array(bytes).fill(9) };
  expect(valueOf('uuid()', {}, other)).not.toBe(valueOf('uuid()'));
});

test('approval_link asks the environment, and says when there are none', () => {
  const stepLink = (step: string, decision: string) => `https://x.test/${step}/${decision}`;
  expect(valueOf('approval_link("ask", "reject")', {}, { stepLink })).toBe('https://x.test/ask/reject');
  expect(valueOf('form_link("ask")', {}, { stepLink })).toBe('https://x.test/ask/form');
  expect(failureOf('approval_link("ask", "approve")').message).toBe('approval_link: is not available here');
  expect(failureOf('approval_link("ask", "maybe")', {}, { stepLink }).message).toContain('approve, reject');
});

describe('wrong arguments', () => {
  test.each([
    ['upper(1)', 'upper: argument 1 must be string, not number'],
    ['upper(null)', 'upper: argument 1 must be string, not null'],
    ['split("a", 1)', 'argument 2 must be string, not number'],
    ['replace("a", "", "b")', 'argument 2 must not be empty'],
    ['length(1)', 'must be string, array or object, not number'],
    ['slice(1, 1)', 'must be string or array'],
    ['slice("a", "b")', 'argument 2 must be number'],
    ['pad("a", 3, "")', 'argument 3 must not be empty'],
    ['pad("a", 3, " ", "middle")', 'argument 4 must be one of left, right'],
    ['pad("a", 1.5)', 'argument 2 must be a whole number from 0'],
    ['truncate("a", -1)', 'argument 2 must be a whole number from 0'],
    ['number("12px")', 'the string is not a number'],
    ['number("")', 'the string is not a number'],
    ['number("1e999")', 'not a finite number'],
    ['number([])', 'must be string, number or boolean, not array'],
    ['round("1")', 'argument 1 must be number'],
    ['round(1, 16)', 'argument 2 must be a whole number from 0 to 15'],
    ['sum(["1"])', 'must be number, or array of numbers, not string'],
    ['sum([1], 2)', 'takes one array, or numbers'],
    ['sum(1, "2")', 'argument 2 must be number'],
    ['sum([1.7e308, 1.7e308])', 'not a finite number'],
    ['first("abc")', 'argument 1 must be array, not string'],
    ['at([1], 0.5)', 'argument 2 must be a whole number'],
    ['sort([1], "a", "up")', 'argument 3 must be one of asc, desc'],
    ['reverse(1)', 'must be array or string'],
    ['group_by([{k: []}], "k")', 'an array or object cannot be a key'],
    ['range(0, 1, 0)', 'the step must not be 0'],
    ['range(100000)', 'makes more than 10000 numbers'],
    ['chunk([1], 0)', 'argument 2 must be a whole number from 1'],
    ['keys([1])', 'argument 1 must be object, not array'],
    ['pick({}, 1)', 'argument 2 must be string, or array of strings, not number'],
    ['pick({}, [1])', 'argument 2 must be string, or array of strings, not number'],
    ['omit({}, "a", 1)', 'argument 3 must be string'],
    ['date("2026-02-30")', 'argument 1 is not a time'],
    ['date("2026-01-01T25:00Z")', 'argument 1 is not a time'],
    ['date("2026-01-01T10:61Z")', 'argument 1 is not a time'],
    ['date("2026-01-01T10:00:60Z")', 'argument 1 is not a time'],
    ['date("yesterday")', 'argument 1 is not a time'],
    ['date("0001-01-01")', 'argument 1 is not a time'],
    ['date("9999-12-31T23:59-23:00")', 'argument 1 is not a time'],
    ['date(1e300)', 'argument 1 is not a time'],
    ['date(true)', 'argument 1 must be time, not boolean'],
    ['date("2026-01-01", "Mars/Base")', 'argument 2 is not a time zone'],
    ['format_date(now(), "QQ")', 'unknown field or an open quote'],
    ['format_date(now(), "o\'clock")', 'unknown field or an open quote'],
    ['format_date(now(), "\'clock")', 'unknown field or an open quote'],
    ['format_date(now(), pad("", 300))', 'the format is longer than 200'],
    ['add_time(now(), "soon")', 'argument 2 is not a duration'],
    ['add_time(now(), null)', 'argument 2 must be duration, not null'],
    ['add_time(now(), 1, "fortnights")', 'argument 3 must be one of ms, s, m, h, d, w, months, years'],
    ['add_time(now(), 9000, "years")', 'the result is outside the years'],
    ['add_time(now(), 1e13, "years")', 'the result is outside the years'],
    ['diff_time(now(), now(), "x")', 'must be one of'],
    ['diff_time(now(), "2026-01-01", "months")', 'must be one of'],
    ['parse_json("{")', 'the string is not JSON'],
    ['parse_json("[1e999]")', 'a number in the string is too large'],
    ['unbase64("a*b")', 'the string is not base64'],
    ['unbase64("/w==")', 'the bytes are not UTF-8'],
    ['url_decode("%zz")', 'not URL-encoded'],
    ['hash("a", "crc")', 'argument 2 must be one of sha256'],
    ['match("a", "(")', 'not a valid RE2 regular expression'],
    ['match("a", "(?=a)")', 'not a valid RE2 regular expression'],
    ['match("a", pad("", 1001, "a"))', 'longer than 1000'],
    ['extract("a", "a", 1)', 'no such group'],
    ['extract("a", "a", "n")', 'no group of that name'],
    ['extract("a", "a", "constructor")', 'no group of that name'],
    ['extract("a", "a", true)', 'no such group'],
  ])('%s fails: %s', (source, message) => {
    expect(failureOf(source).message).toContain(message);
  });

  test('errors never quote values, which may be secrets', () => {
    const secret = { KEY: 'hunter2-hunter2' };
    const sources = [
      'number(secret.KEY)',
      'parse_json(secret.KEY)',
      'date(secret.KEY)',
      'unbase64(secret.KEY + "*")',
      'url_decode("%" + secret.KEY)',
      'secret.KEY - 1',
      'match("a", "(" + secret.KEY)',
      'secret.KEY.x',
      'first(secret.KEY)',
      'hash("a", secret.KEY)',
      'format_date(now(), "Q" + secret.KEY)',
      'add_time(now(), secret.KEY)',
    ];
    for (const source of sources) expect(failureOf(source, { secret }).message).not.toContain('hunter2');
  });
});
