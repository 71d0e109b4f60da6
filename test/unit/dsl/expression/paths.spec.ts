import { failureOf, valueOf } from '../support/env';

const trigger = {
  body: { items: [{ sku: 'a' }, { sku: 'b' }], 'c d': 1, '0': 'zero', nothing: null, constructor: 'own' },
  text: 'abc',
  n: 3,
};

test.each([
  ['trigger.body.items[0].sku', 'a'],
  ['trigger.body.items.1.sku', 'b'],
  ['trigger.body.items[-1].sku', 'b'],
  ['trigger.body["c d"]', 1],
  ["trigger['body']['items'][0]['sku']", 'a'],
  ['trigger.body[0]', 'zero'],
  ['trigger.body.nothing', null],
  ['trigger.body.items[trigger.n - 2].sku', 'b'],
  ['trigger', trigger],
  ['[1, 2, 3][1]', 2],
  ['{a: {b: 5}}.a.b', 5],
  ['(trigger.body).items[0]', { sku: 'a' }],
  ['split("a,b", ",")[1]', 'b'],
  ['trigger.body.constructor', 'own'],
])('%s is %j', (source, expected) => {
  expect(valueOf(source, { trigger })).toEqual(expected);
});

describe('a missing path says what was there', () => {
  test.each([
    ['trigger.bdy', 'trigger.bdy does not exist: trigger has body, text, n; did you mean body?'],
    ['trigger.body.items[5]', 'trigger.body.items[5] does not exist: trigger.body.items is an array of 2'],
    ['trigger.body.items[-3].sku', 'trigger.body.items[-3] does not exist'],
    ['trigger.body.items[0.5]', 'is an array of 2'],
    ['trigger.body.items.sku', 'trigger.body.items.sku does not exist: trigger.body.items is an array of 2'],
    ['trigger.text.length', 'trigger.text.length does not exist: trigger.text is a string'],
    ['trigger.text[0]', 'trigger.text is a string'],
    ['trigger.n.x', 'trigger.n is a number'],
    ['trigger.body.nothing.x', 'trigger.body.nothing is null'],
    ['{}.x', 'is an empty object'],
    ['loop.index', 'loop is not available here'],
    ['[1][9]', 'what it is read from is an array of 1'],
  ])('%s: %s', (source, message) => {
    expect(failureOf(source, { trigger }).message).toContain(message);
  });

  test('only some keys are shown, and long ones are cut', () => {
    const many = Object.fromEntries(Array.from({ length: 14 }, (_, n) => [`key${n}${'x'.repeat(n * 10)}`, n]));
    const { message } = failureOf('env.zzzzzz', { env: many });
    expect(message).toMatch(/key9x{36}… and 4 more$/);
  });

  test.each([
    ['trigger[null]', 'an index is a number or a string, not null'],
    ['trigger.body.items[true]', 'an index is a number or a string, not boolean'],
    ['trigger[{}]', 'an index is a number or a string, not object'],
  ])('%s fails: %s', (source, message) => {
    expect(failureOf(source, { trigger }).message).toContain(message);
  });

  test('the error carries source and position', () => {
    expect(failureOf(' 1 + trigger.x', { trigger })).toMatchObject({ source: ' 1 + trigger.x', position: 5 });
  });
});

describe('nothing inherited can be reached', () => {
  test.each([
    'trigger.__proto__',
    'trigger.toString',
    'trigger["hasOwnProperty"]',
    'trigger.body.__proto__.polluted',
    'trigger.body.items.length',
    'trigger.body.items.map',
    'trigger.body.items.constructor',
    'trigger.text.constructor',
    'trigger.n.constructor.constructor',
    '{}.constructor',
    '[].constructor',
    '"a".constructor',
  ])('%s does not exist', (source) => {
    expect(failureOf(source, { trigger }).message).toMatch(/does not exist/);
    expect(valueOf(`exists(${source})`, { trigger })).toBe(false);
  });

  test.each(['constructor', '__proto__', 'toString', 'process', 'globalThis', 'this', 'require'])(
    '%s is no name',
    (name) => {
      expect(failureOf(name).message).toContain(`unknown name ${name}`);
      expect(failureOf(`${name}()`).message).toContain(`unknown function ${name}`);
    },
  );

  test('a key called __proto__ is data like any other', () => {
    const made = valueOf('{"__proto__": {polluted: true}}') as Record<string, unknown>;
    expect(Object.getPrototypeOf(made)).toBe(Object.prototype);
    expect(Object.hasOwn(made, '__proto__')).toBe(true);
    expect(made.polluted).toBeUndefined();
    const own = JSON.parse('{"__proto__": {"a": 1}}') as Record<string, never>;
    expect(valueOf('env.__proto__.a', { env: own })).toBe(1);
    for (const source of ['merge({}, env)', 'pick(env, "__proto__")', 'omit(env, "x")', 'parse_json(json(env))']) {
      expect(JSON.stringify(valueOf(source, { env: own }))).toBe('{"__proto__":{"a":1}}');
    }
    expect(JSON.stringify(valueOf('group_by([{k: "__proto__"}], "k")'))).toBe('{"__proto__":[{"k":"__proto__"}]}');
    expect(JSON.stringify(valueOf('index_by([{k: "__proto__"}], "k")'))).toBe('{"__proto__":{"k":"__proto__"}}');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});
