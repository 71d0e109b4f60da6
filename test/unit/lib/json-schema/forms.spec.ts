import { formsText } from '../../../../lib/json-schema/forms';

test.each<[unknown[], string]>([
  [[{ type: 'string' }, { type: ['integer', 'null'] }], 'a string, or a whole number or null'],
  [
    [{ required: ['user', 'password'] }, { type: 'object', required: ['token'] }],
    'an object with user and password, or an object with token',
  ],
  [
    [{ type: 'object', required: ['kind', 'at'], properties: { kind: { const: 'timer' } } }],
    'an object with kind "timer" and at',
  ],
  [[{ const: null }, { enum: ['a', 1] }, true, false], 'null, or one of "a", 1, or any value, or nothing'],
  [[{ title: 'An address', type: 'string' }, { minimum: 3 }, { not: {} }], 'An address, or another form'],
  [Array.from({ length: 9 }, (_, n) => ({ const: n })), '0, or 1, or 2, or 3, or 4, or 5, or 6, or 7, or others'],
])('%j: %s', (schemas, text) => expect(formsText(schemas)).toBe(text));

test('a message stays short for any schema', () => {
  const long = 'x'.repeat(10_000);
  expect(formsText([{ title: long }, { const: long }, { enum: [long] }, { required: [long] }]).length).toBe(401);
});
