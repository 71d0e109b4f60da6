import { schemaOfParams } from '../../../generate/params';

const of = (rule: unknown) => schemaOfParams({ a: rule });

describe('rules of params as JSON Schema', () => {
  test.each<[unknown, object]>([
    ['string', { type: 'string' }],
    [
      { type: 'string', trim: true, min: 1, max: 9, pattern: /^a/u },
      { type: 'string', minLength: 1, maxLength: 9, pattern: '^a' },
    ],
    [{ type: 'string', pattern: /^a/i }, { type: 'string' }],
    [
      { type: 'number', integer: true, min: 0, max: 9, convert: true },
      { type: 'integer', minimum: 0, maximum: 9 },
    ],
    [
      { type: 'number', positive: true },
      { type: 'number', exclusiveMinimum: 0 },
    ],
    [{ type: 'string', nullable: true }, { anyOf: [{ type: 'string' }, { type: 'null' }] }],
    [{ type: 'enum', values: ['x', 'y'] }, { enum: ['x', 'y'] }],
    [{ type: 'equal', value: 'x', strict: true }, { const: 'x' }],
    [{ type: 'any' }, {}],
    [{ type: 'uuid' }, { type: 'string', format: 'uuid' }],
    ['string[]', { type: 'array', items: { type: 'string' } }],
    [
      { type: 'array', items: { type: 'boolean' }, max: 3 },
      { type: 'array', items: { type: 'boolean' }, maxItems: 3 },
    ],
    [
      { type: 'record', key: 'string', value: 'number' },
      { type: 'object', additionalProperties: { type: 'number' } },
    ],
    [{ type: 'object' }, { type: 'object', additionalProperties: true }],
    [
      { type: 'object', props: { b: 'string', c: 'string|optional' } },
      { type: 'object', properties: { b: { type: 'string' }, c: { type: 'string' } }, required: ['b'] },
    ],
    [
      { type: 'object', strict: true, props: { b: 'string' } },
      { type: 'object', properties: { b: { type: 'string' } }, required: ['b'], additionalProperties: false },
    ],
    [['string', { type: 'number' }], { anyOf: [{ type: 'string' }, { type: 'number' }] }],
  ])('%j', (rule, schema) => {
    expect(of(rule)).toEqual({ type: 'object', properties: { a: schema }, required: ['a'] });
  });

  test('what may be left out is not required', () => {
    expect(of({ type: 'string', optional: true })).toEqual({ type: 'object', properties: { a: { type: 'string' } } });
  });

  test.each([
    [{ type: 'date' }, /"date" of a /],
    ['objectID', /"objectID" of a /],
    [{ type: 'string', base64: true }, /"base64" of a /],
    [{ type: 'object', props: { b: { type: 'number', custom: () => true } } }, /"custom" of a.b /],
    [{ type: 'array', items: { type: 'currency' } }, /"currency" of a\[\] /],
  ])('a rule or an option that is not known is a fault, so that nothing is dropped unseen: %j', (rule, message) => {
    expect(() => of(rule)).toThrow(message);
    expect(() => schemaOfParams({ $$async: true })).toThrow(/\$\$async/);
  });
});
