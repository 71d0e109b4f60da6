import { checkOf } from '../../../mixins/service';

const check = checkOf({
  name: { type: 'string' },
  note: { type: 'string', optional: true },
  key: { type: 'string', optional: true, nullable: true },
  value: { type: 'any', optional: true },
});

test('null where a field may be left out is taken for leaving it out, unless null means something there', () => {
  expect(check({ name: 'n', note: null, key: null, value: null })).toEqual({ name: 'n', key: null, value: null });
});

test('null where a field is needed is refused', () => {
  expect(() => check({ name: null })).toThrow(expect.objectContaining({ type: 'invalid_request' }));
});
