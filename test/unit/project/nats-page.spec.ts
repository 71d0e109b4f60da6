import { ACTIONS } from '../../../contracts/catalogue';
import { ROLES } from '../../../lib/roles';

const isRole = (access: string): boolean => (ROLES as readonly string[]).includes(access);
const ALL = Object.entries(ACTIONS);

test('every action that people and keys may call over HTTP is open to integrators', () => {
  const closed = ALL.filter(([, { rest, access, integrators }]) => rest && isRole(access) && !integrators);
  expect(closed.map(([name]) => name)).toEqual([]);
});

test('no action is open to integrators that is for services, or that asks the gateway to count attempts', () => {
  const open = ALL.filter(([, { access, integrators }]) => integrators && ['internal', 'gateway'].includes(access));
  expect(open.map(([name]) => name)).toEqual([]);
});
