import { checkOf } from '../../../mixins/service';

const check = checkOf({
  name: { type: 'string' },
  note: { type: 'string', optional: true },
  key: { type: 'string', optional: true, nullable: true },
  value: { type: 'any', optional: true },
});

test('null for an optional field counts as missing, unless the field is nullable', () => {
  expect(check({ name: 'n', note: null, key: null, value: null })).toEqual({ name: 'n', key: null, value: null });
});

test('null for a required field is refused', () => {
  expect(() => check({ name: null })).toThrow(expect.objectContaining({ type: 'invalid_request' }));
});
