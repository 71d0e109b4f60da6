import { bodyOf, formOf, withGrant } from '../../../console/src/model/folder-access';

const GRANT = { kind: 'member', id: 'u1', name: 'ada@example.com', right: 'run' } as const;

it('the form leaves out grants of members who are gone', () => {
  const gone = { kind: 'member', id: 'u2', name: null, right: 'edit' } as const;
  expect(formOf({ access: 'restricted', grants: [GRANT, gone] })).toEqual({ restricted: true, grants: [GRANT] });
});

it('a person is added by address, and one who is named already gets the right', () => {
  const form = formOf({ access: 'open', grants: [GRANT] });
  expect(withGrant(form, ' bob@example.com ', 'view').grants).toEqual([
    GRANT,
    { kind: 'member', id: 'bob@example.com', name: 'bob@example.com', right: 'view' },
  ]);
  expect(withGrant(form, 'ADA@example.com', 'manage').grants).toEqual([{ ...GRANT, right: 'manage' }]);
});

it('the request has ids, rights and the revision that was read', () => {
  expect(bodyOf({ restricted: true, grants: [GRANT] }, 3)).toEqual({
    access: 'restricted',
    grants: [{ kind: 'member', id: 'u1', right: 'run' }],
    revision: 3,
  });
});
