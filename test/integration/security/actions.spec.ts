import { ROUTES } from '../../../services/api-gateway/routes';
import { Principals } from '../../../lib/principal';
import { registerTenant } from '../../support/accounts';
import { type Actor, sign } from '../../support/app';
import { openWhole, type Whole } from './support/whole';

/** Actions that anybody may call: each asks for a secret of its own, or gives nothing away. */
/** Refuses who does not call from a node of an integrator. */
const FOR_INTEGRATORS = 'executions.subscribe';
const OPEN: ReadonlySet<string> = new Set([
  'auth.verify',
  'executions.decide_by_link',
  'executions.events',
  'executions.public',
  'files.list_public',
  'files.shared',
  'files.shared_part',
  'workflows.schema',
]);

/** Actions behind a route that takes a file. */
const UPLOAD = ['begin_upload', 'put_upload', 'commit_upload', 'give_up_upload'];

/** Actions behind a route that hands on no JSON. */
const STREAMED = ['files.stat', 'files.part'];

let whole: Whole;
let owner: Actor;

beforeAll(async () => {
  whole = await openWhole();
  const { tenant, user } = await registerTenant(whole.t);
  owner = { tenant_id: tenant.id, user_id: user.id, role: 'owner' };
});
afterAll(() => whole.close());

const names = (): string[] =>
  whole.t.broker.registry
    .getActionList({ skipInternal: true })
    .map(({ name }) => String(name))
    .filter((name) => !name.startsWith('api-gateway.'));

/** The code by which an action refuses its caller; null when the caller got as far as the params. */
async function refusal(action: string, meta: object): Promise<string | null> {
  const type = await whole.t.broker.call(action, {}, { meta }).then(
    () => null,
    (fault: { type?: string }) => fault.type ?? 'unknown',
  );
  return type === 'forbidden' || type === 'unauthenticated' ? type : null;
}

const refusals = async (meta: () => object): Promise<Record<string, string | null>> =>
  Object.fromEntries(await Promise.all(names().map(async (name) => [name, await refusal(name, meta())] as const)));

describe('every action of every service', () => {
  test.each<[string, () => object]>([
    ['without a credential', () => ({})],
    ['with a name instead of one', () => ({ user: { id: 'u' }, role: 'owner', tenant_id: owner.tenant_id })],
    ['with a principal as an object', () => ({ principal: { ...owner, kind: 'user', exp: 9e9 } })],
    [
      'with a principal signed with a key of the caller',
      () => ({ principal: new Principals(Buffer.alloc(32, 9)).forTenant(owner.tenant_id, Date.now()) }),
    ],
    [
      'with a principal that was replayed after its time',
      () => ({
        principal: whole.t.app.principals.sign(
          { kind: 'service', tenant_id: owner.tenant_id, user_id: null, email: null, role: 'service' },
          Date.now() - 121_000,
        ),
      }),
    ],
    [
      'with a signed client address instead of a principal',
      () => ({ principal: whole.t.app.clientAddresses.sign('127.0.0.1', 'r').toJSON() }),
    ],
  ])('refuses an unauthenticated caller %s', async (_how, meta) => {
    const given = await refusals(meta);
    const inside = Object.keys(given).filter((name) => given[name] !== 'unauthenticated' && !OPEN.has(name));
    expect(inside).toEqual([]);
  });

  test('is either for people or for services: what has no route refuses an owner, what has one refuses a service', async () => {
    const routed = new Set<string>([
      ...STREAMED,
      // Replaces a stream for programs on the bus.
      'executions.wait',
      ...ROUTES.flatMap((route) => (route.kind === 'json' && route.access !== 'public' ? [route.action] : [])),
      ...ROUTES.flatMap((route) => (route.kind === 'upload' ? UPLOAD.map((verb) => `${route.service}.${verb}`) : [])),
    ]);
    const asOwner = await refusals(() => ({ principal: sign(whole.t.app, owner) }));
    const asService = await refusals(() => ({
      principal: whole.t.app.principals.forTenant(owner.tenant_id, Date.now()),
    }));
    const outcomes = names()
      .filter((name) => !OPEN.has(name))
      .map((name) => [name, asOwner[name], asService[name]]);
    expect(outcomes).toEqual(
      outcomes.map(([name]) => {
        if (name === FOR_INTEGRATORS) return [name, 'forbidden', 'forbidden'];
        return routed.has(String(name)) ? [name, null, 'forbidden'] : [name, 'forbidden', null];
      }),
    );
  });
});
