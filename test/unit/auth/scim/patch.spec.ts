import fc from 'fast-check';
import type { JsonObject } from '../../../../lib/json';
import { ScimError } from '../../../../services/auth/scim/errors';
import { applyPatch } from '../../../../services/auth/scim/patch';
import { parseUser, USER_SHAPE } from '../../../../services/auth/scim/user-resource';

const USER: JsonObject = {
  id: 'u',
  userName: 'ann@example.com',
  name: { givenName: 'Ann' },
  active: true,
  emails: [{ value: 'ann@example.com', type: 'work', primary: true }],
};

const apply = (...Operations: object[]): JsonObject => applyPatch(USER, { Operations }, USER_SHAPE);

test('leaves the given resource as it is, and changes nothing where one operation is refused', () => {
  const before = structuredClone(USER);
  expect(apply({ op: 'replace', path: 'name.givenName', value: 'Bo' }).name).toEqual({ givenName: 'Bo' });
  expect(() =>
    apply({ op: 'replace', path: 'active', value: false }, { op: 'replace', path: 'id', value: 'x' }),
  ).toThrow(ScimError);
  expect(USER).toEqual(before);
});

test.each<[string, object, object]>([
  [
    'adds to a list',
    { op: 'add', path: 'emails', value: [{ value: 'b@example.com' }] },
    { emails: [...(USER.emails as object[]), { value: 'b@example.com' }] },
  ],
  [
    'adds no value twice',
    { op: 'add', path: 'emails', value: { value: 'ann@example.com', type: 'home' } },
    { emails: [{ value: 'ann@example.com', type: 'home' }] },
  ],
  [
    'changes an element',
    { op: 'replace', path: 'emails[type eq "work"]', value: { value: 'b@example.com' } },
    { emails: [{ value: 'b@example.com', type: 'work', primary: true }] },
  ],
  [
    'adds an element that a filter describes',
    { op: 'Add', path: 'emails[type eq "home"].value', value: 'h@example.com' },
    { emails: [...(USER.emails as object[]), { type: 'home', value: 'h@example.com' }] },
  ],
  [
    'removes a part of an element',
    { op: 'remove', path: 'emails[type eq "work"].primary' },
    { emails: [{ value: 'ann@example.com', type: 'work' }] },
  ],
  ['removes elements', { op: 'remove', path: 'emails[value co "@example"]' }, { emails: [] }],
  [
    'merges an object',
    { op: 'add', path: 'name', value: { familyName: 'Lee' } },
    { name: { givenName: 'Ann', familyName: 'Lee' } },
  ],
  ['spells attributes as the schema does', { op: 'replace', value: { USERNAME: 'x' } }, { userName: 'x' }],
  ['ignores attributes that are not kept', { op: 'add', path: 'nickName', value: 'x' }, USER],
  ['ignores names of the language', { op: 'add', value: { 'constructor.x': 1, toString: 2 } }, USER],
])('%s', (_what, operation, expected) => expect(apply(operation)).toMatchObject(expected));

test('is bounded by what its filters are tried on', () => {
  const emails = Array.from({ length: 100 }, (_, n) => ({ value: `${n}@example.com` }));
  const many = { ...USER, emails } as JsonObject;
  const operation = { op: 'remove', path: 'emails[value sw "x" or value ew "y"]' };
  expect(() => applyPatch(many, { Operations: Array(500).fill(operation) }, USER_SHAPE)).toThrow(/compares too much/);
  const another = { op: 'add', path: 'emails', value: { value: 'x@example.com' } };
  expect(() => applyPatch(many, { Operations: [another] }, USER_SHAPE)).toThrow(/at most 100/);
});

const path = fc.constantFrom(
  'userName',
  'active',
  'emails',
  'name',
  'name.givenName',
  'emails[type eq "work"].value',
  'emails[value pr]',
  'members',
  'title',
  '[',
  '__proto__',
  'emails.value',
);
const operation = fc.record(
  {
    op: fc.constantFrom('add', 'Replace', 'remove', 'x'),
    path: fc.oneof(path, fc.string({ maxLength: 8 })),
    value: fc.jsonValue({ maxDepth: 3 }),
  },
  { requiredKeys: ['op'] },
);

test('any operations are applied or refused as SCIM has it', () => {
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 5 }), (Operations) => {
      try {
        parseUser(applyPatch(USER, { Operations }, USER_SHAPE));
      } catch (error) {
        expect(error).toBeInstanceOf(ScimError);
      }
    }),
    { numRuns: 2_000 },
  );
  expect(({} as Record<string, unknown>).value).toBeUndefined();
});
