import {
  FOLDER_RIGHTS,
  type FolderGrant,
  type FolderPerson,
  type FolderRight,
  type FolderRules,
  folderChain,
  includesRight,
  rightOn,
} from '../../../lib/folder-rights';
import { KEY_SCOPES } from '../../../lib/key-scopes';
import { ROLES } from '../../../lib/roles';

const person = (given: Partial<FolderPerson> = {}): FolderPerson => ({
  userId: 'ada',
  role: 'member',
  groups: new Set(),
  ...given,
});
const grant = (right: FolderRight, id = 'ada', kind: FolderGrant['kind'] = 'member'): FolderGrant => ({
  kind,
  id,
  right,
});
const rules = (given: Record<string, ['open' | 'restricted', ...FolderGrant[]]>): FolderRules =>
  new Map(Object.entries(given).map(([folder, [access, ...grants]]) => [folder, { access, grants }]));

describe('the right on a folder', () => {
  test.each([
    ['viewer', 'view'],
    ['member', 'edit'],
    ['admin', 'manage'],
    ['owner', 'manage'],
  ] as const)('without rules is that of the role: %s %s', (role, right) =>
    expect(rightOn('sales/eu', new Map(), person({ role }))).toBe(right),
  );

  test('of a restricted folder is for those whom it names', () => {
    const some = rules({ sales: ['restricted', grant('run')] });
    expect(rightOn('sales', some, person())).toBe('run');
    expect(rightOn('sales', some, person({ userId: 'bob' }))).toBeNull();
    expect(rightOn('salesforce', some, person({ userId: 'bob' }))).toBe('edit');
    expect(rightOn('', some, person({ userId: 'bob' }))).toBe('edit');
  });

  test('holds in the folders in it, which may add to it', () => {
    const some = rules({ sales: ['restricted', grant('view')], 'sales/eu': ['open', grant('edit')] });
    expect(rightOn('sales/us', some, person())).toBe('view');
    expect(rightOn('sales/eu/north', some, person())).toBe('edit');
    expect(rightOn('sales/eu', some, person({ userId: 'bob' }))).toBeNull();
  });

  test('ends at a folder that is restricted itself, except for those who manage what contains it', () => {
    const some = rules({ sales: ['restricted', grant('edit'), grant('manage', 'bob')], 'sales/pay': ['restricted'] });
    expect(rightOn('sales/pay', some, person())).toBeNull();
    expect(rightOn('sales/pay', some, person({ userId: 'bob' }))).toBe('manage');
  });

  test('may come of a group', () => {
    const some = rules({ sales: ['restricted', grant('edit', 'team', 'group')] });
    expect(rightOn('sales', some, person({ groups: new Set(['team']) }))).toBe('edit');
    // A member whose id is that of a group is not in it.
    expect(rightOn('sales', some, person({ userId: 'team' }))).toBeNull();
  });

  test('of an API key is at most what its scope allows, also for keys of admins', () => {
    const some = rules({ sales: ['restricted', grant('manage')] });
    expect(rightOn('sales', some, person({ scope: 'run' }))).toBe('run');
    expect(rightOn('sales', some, person({ role: 'admin', userId: 'root', scope: 'edit' }))).toBe('edit');
    expect(rightOn('sales', some, person({ role: 'admin', userId: 'root', scope: 'read' }))).toBe('view');
  });
});

test('folders contain each other by whole names', () =>
  expect(folderChain('a/b b/c')).toEqual(['a', 'a/b b', 'a/b b/c']));

describe('for any rules and people', () => {
  // A generator with a seed, so that a failure repeats.
  let state = 7;
  const next = (max: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * max);
  };
  const one = <T>(of: readonly T[]): T => of[next(of.length)] as T;
  const FOLDERS = ['a', 'a/b', 'a/b/c', 'ab', 'b'];
  const someGrant = (): FolderGrant => grant(one(FOLDER_RIGHTS), one(['ada', 'bob', 'team']), one(['member', 'group']));
  const someRules = (): FolderRules =>
    rules(
      Object.fromEntries(
        FOLDERS.filter(() => next(2) === 0).map((folder) => [
          folder,
          [one(['open', 'restricted'] as const), ...Array.from({ length: next(3) }, someGrant)],
        ]),
      ),
    );
  const randomPerson = (): FolderPerson =>
    person({
      userId: one(['ada', 'bob']),
      role: one(ROLES),
      groups: new Set(next(2) === 0 ? ['team'] : []),
      ...(next(2) === 0 ? { scope: one(KEY_SCOPES) } : {}),
    });
  const cases = Array.from({ length: 2_000 }, () => ({
    folder: one(FOLDERS),
    given: someRules(),
    who: randomPerson(),
    more: someGrant(),
  }));

  const where = (holds: (each: (typeof cases)[number]) => boolean) => cases.filter((each) => !holds(each));

  test('admins and owners manage, viewers never have more than view', () => {
    const broken = where(({ folder, given, who }) => {
      const right = rightOn(folder, given, { ...who, scope: undefined });
      if (who.role === 'viewer') return right === null || right === 'view';
      return who.role === 'member' || right === 'manage';
    });
    expect(broken).toEqual([]);
  });

  test('a further grant never takes a right away, and a narrower scope never gives one', () => {
    const broken = where(({ folder, given, who, more }) => {
      const before = rightOn(folder, given, who);
      const rule = given.get(folder) ?? { access: 'open' as const, grants: [] };
      const after = rightOn(folder, new Map([...given, [folder, { ...rule, grants: [...rule.grants, more] }]]), who);
      const narrowed = rightOn(folder, given, { ...who, scope: 'read' });
      return (
        (before === null || includesRight(after, before)) && (narrowed === null || includesRight(before, narrowed))
      );
    });
    expect(broken).toEqual([]);
  });

  test('the same rules in another folder change nothing', () => {
    for (const { given, who } of cases)
      expect(rightOn('elsewhere', given, who)).toBe(rightOn('elsewhere', new Map(), who));
  });
});
