import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ActionName, ACTIONS } from '../../../contracts/catalogue';
import { errorMessage } from '../../../lib/errors';
import { registerTenant } from '../../support/accounts';
import { startApp, type TestApp } from '../../support/app';
import { type Daemon, describeWith, startOwnNats } from '../../support/daemons';
import { allServices } from '../../support/services';
import { type Integrator, startIntegrator } from './integrator';

const PAGE = readFileSync(join(__dirname, '..', '..', '..', 'docs', 'nats.md'), 'utf8');
const LISTED = [...PAGE.matchAll(/\[`([\w.]+)`\]\(events-and-actions\.md#/g)].map(([, name]) => name as string);
const ALL = Object.keys(ACTIONS) as ActionName[];
const RULE = /is not open to integrators: over NATS, only the actions listed in docs\/nats\.md may be called/;

describeWith('nats', { own: true })('an integrator on NATS, with the key of an owner', () => {
  let nats: Daemon;
  let app: TestApp;
  let acme: Integrator;

  beforeAll(async () => {
    nats = (await startOwnNats()) as Daemon;
    app = await startApp({ services: [allServices], bus: nats.url, namespace: 'rules', nodeId: 'host-1' });
    const { user, tenant } = await registerTenant(app);
    const owner = { tenant_id: tenant.id, user_id: user.id, email: user.email };
    const { key: token } = await app.call('auth.create_api_key', { name: 'acme' }, owner);
    const names = [...new Set(ALL.map((name) => name.slice(0, name.indexOf('.'))))];
    acme = await startIntegrator({ url: nats.url, namespace: 'rules', nodeId: 'acme.1', token, services: names });
  });
  afterAll(async () => {
    await acme?.stop();
    await app?.close();
    await nats?.stop();
  });

  /** The message of the refusal; null for an answer. */
  const refusalOf = (action: ActionName, token?: null): Promise<string | null> =>
    acme.call(action, {} as never, { ...(token === null && { token }) }).then(() => null, errorMessage);

  test('may call exactly the actions that the page lists', async () => {
    const open: string[] = [];
    for (const name of ALL) if (!RULE.test((await refusalOf(name)) ?? '')) open.push(name);
    expect(open.sort()).toEqual([...LISTED].sort());
  }, 60_000);

  test.each(['executor.start', 'secrets.reveal', 'auth.login'] as const)(
    'is refused %s with the rule',
    async (action) => {
      await expect(acme.call(action, {} as never)).rejects.toMatchObject({ type: 'forbidden', code: 403 });
      expect(await refusalOf(action)).toMatch(RULE);
    },
  );

  test('does not receive the principal that services use for calls', async () => {
    await expect(acme.call('auth.verify', { token: 'any' })).rejects.toMatchObject({ type: 'forbidden' });
    await expect(acme.call('auth.verify', { token: 'any' }, { token: null })).rejects.toMatchObject({
      type: 'unauthenticated',
    });
  });
});
