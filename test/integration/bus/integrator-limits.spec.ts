import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { authService } from '../../../services/auth/auth.service';
import { workflowsService } from '../../../services/workflows/workflows.service';
import { registerTenant } from '../../support/accounts';
import { type Actor, startApp, type TestApp } from '../../support/app';
import { type Daemon, describeWith, startOwnNats } from '../../support/daemons';
import { ManualClock } from '../../support/manual-clock';
import { executorServices } from '../../support/run-services';
import { codeOf } from '../executor/house';
import { type Integrator, startIntegrator } from './integrator';

const PER_SECOND = 5;
const PER_TENANT = 4 * PER_SECOND;
const KIBIBYTE = 1024;

describeWith('nats', { own: true })('calls of integrators over NATS', () => {
  // Its time stands still, so no token flows into a bucket but where a test lets it.
  const clock = new ManualClock(Date.now());
  let nats: Daemon;
  let app: TestApp;
  let acme: Integrator;
  let beta: Integrator;
  let owner: Actor;

  beforeAll(async () => {
    nats = (await startOwnNats()) as Daemon;
    app = await startApp({
      services: [authService, workflowsService, executorServices, apiGatewayService],
      bus: nats.url,
      namespace: 'limits',
      nodeId: 'host-1',
      env: { RATE_LIMIT: String(PER_SECOND) },
      clock,
    });
    const join = (nodeId: string): Promise<Integrator> =>
      startIntegrator({ url: nats.url, namespace: 'limits', nodeId, token: '', services: ['auth', 'workflows'] });
    [acme, beta] = await Promise.all([join('acme.1'), join('beta.1')]);
  });
  afterAll(async () => {
    await Promise.all([acme?.stop(), beta?.stop()]);
    await app?.close();
    await nats?.stop();
  });
  beforeEach(async () => {
    const { user, tenant } = await registerTenant(app);
    owner = { tenant_id: tenant.id, user_id: user.id, email: user.email };
  });

  const newKey = async (): Promise<string> => (await app.call('auth.create_api_key', { name: 'key' }, owner)).key;
  const list = (token: string, from = acme) => from.call('workflows.list', {}, { token });

  /** How many of some calls at once are answered, and the codes of the others. */
  async function outcomes(calls: readonly Promise<unknown>[]): Promise<{ answered: number; refused: Set<string> }> {
    const codes = await Promise.all(
      calls.map((call) =>
        call.then(
          () => null,
          (error: { type: string }) => error.type,
        ),
      ),
    );
    const refused = codes.filter((code) => code !== null);
    return { answered: codes.length - refused.length, refused: new Set(refused) };
  }

  test('are limited per key, from the bucket that its requests over HTTP use', async () => {
    const key = await newKey();
    const calls = Array.from({ length: 3 * PER_SECOND }, (_, n) => list(key, n % 2 === 0 ? acme : beta));
    expect(await outcomes(calls)).toEqual({ answered: PER_SECOND, refused: new Set(['rate_limited']) });
    await expect(list(key)).rejects.toMatchObject({ type: 'rate_limited', code: 429, data: { retry_after: 1 } });
    const headers = { authorization: `Bearer ${key}` };
    expect((await fetch(`${app.url}/api/v1/workflows`, { headers })).status).toBe(429);
    clock.advance(1_000);
    expect((await fetch(`${app.url}/api/v1/workflows`, { headers })).status).toBe(200);
    await list(key);
  });

  test('are limited per tenant, however many keys it has', async () => {
    const keys = await Promise.all(Array.from({ length: 6 }, newKey));
    const calls = keys.flatMap((key) => Array.from({ length: PER_SECOND }, () => list(key)));
    expect(await outcomes(calls)).toEqual({ answered: PER_TENANT, refused: new Set(['rate_limited']) });
  });

  test('count as several when their params are large', async () => {
    const key = await newKey();
    const large = { name: 'x', dsl: { padding: 'x'.repeat(2 * PER_SECOND * 16 * KIBIBYTE) } };
    expect(await codeOf(acme.call('workflows.create', large, { token: key }))).toBe('invalid_dsl');
    expect(await codeOf(list(key))).toBe('rate_limited');
  });

  test('with keys that are not valid are limited per NATS user, and leave valid keys alone', async () => {
    const key = await newKey();
    await list(key);
    const guesses = Array.from({ length: PER_SECOND }, (_, n) => list(`guess-${n}`));
    expect(await outcomes(guesses)).toEqual({ answered: 0, refused: new Set(['unauthenticated']) });
    expect(await codeOf(list('guess-more'))).toBe('rate_limited');
    expect(await codeOf(list('guess-more', beta))).toBe('unauthenticated');
    await list(key);
  });

  test('without a key are limited per NATS user', async () => {
    const id = 'no-such-run';
    const ask = (from: Integrator) => from.call('executions.public', { id }, { token: null });
    const calls = Array.from({ length: PER_SECOND }, () => ask(acme));
    expect(await outcomes(calls)).toEqual({ answered: 0, refused: new Set(['not_found']) });
    expect(await codeOf(ask(acme))).toBe('rate_limited');
    expect(await codeOf(ask(beta))).toBe('not_found');
  });
});
