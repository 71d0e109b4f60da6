import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_PLANS } from '../../../lib/plans';
import { authService } from '../../../services/auth/auth.service';
import { registerTenant } from '../../support/accounts';
import { startApp, type TestApp } from '../../support/app';
import { ManualClock } from '../../support/manual-clock';

describe('the tenant', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp({ services: [authService] });
  });
  afterAll(() => app.close());

  test('is shown to its members', async () => {
    const { tenant } = await registerTenant(app);
    expect(await app.call('auth.tenant', {}, { tenant_id: tenant.id, role: 'member' })).toEqual(tenant);
  });

  test('its settings are changed by an owner, and count at once', async () => {
    const { tenant } = await registerTenant(app);
    const owner = { tenant_id: tenant.id };
    const service = { tenant_id: tenant.id, role: 'service' } as const;
    expect(await app.call('auth.entitlements', {}, service)).toMatchObject({ plan: 'free', require_approval: false });
    expect((await app.call('auth.update_settings', { require_approval: true }, owner)).settings).toEqual({
      require_approval: true,
      require_second_factor: false,
    });
    expect(await app.call('auth.entitlements', {}, service)).toEqual({
      plan: 'free',
      limits: DEFAULT_PLANS.free,
      overrides: [],
      require_approval: true,
      suspended: false,
    });
    expect((await app.call('auth.update_settings', {}, owner)).settings).toMatchObject({ require_approval: true });
  });

  test.each(['member', 'admin'] as const)('its settings are not changed by a %s', async (role) => {
    const change = app.call('auth.update_settings', { require_approval: true }, { tenant_id: 't', role });
    await expect(change).rejects.toMatchObject({ type: 'forbidden', code: 403 });
  });

  test('what it may use is for services alone', async () => {
    await expect(app.call('auth.entitlements', {}, { tenant_id: 't' })).rejects.toMatchObject({ type: 'forbidden' });
    await expect(app.call('auth.entitlements', {}, null)).rejects.toMatchObject({ type: 'unauthenticated' });
  });
});

test('limits follow the plans file and the plan of the tenant', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'plans-'));
  const file = join(dir, 'plans.json');
  await writeFile(file, JSON.stringify({ pro: { active_workflows: 7 } }));
  const app = await startApp({ services: [authService], env: { PLANS_FILE: file } });
  try {
    const { tenant } = await registerTenant(app);
    await app.app.db.collection<{ _id: string }>('tenants').updateOne({ _id: tenant.id }, { $set: { plan: 'pro' } });
    const { limits } = await app.call('auth.entitlements', {}, { tenant_id: tenant.id, role: 'service' });
    expect(limits).toEqual({ ...DEFAULT_PLANS.pro, active_workflows: 7 });
  } finally {
    await app.close();
    await rm(dir, { recursive: true });
  }
});

test('what is remembered of a tenant is a second old at most, however often it is asked for', async () => {
  const clock = new ManualClock(Date.now());
  const app = await startApp({ services: [authService], clock });
  try {
    const { tenant } = await registerTenant(app);
    const plan = async () => (await app.call('auth.entitlements', {}, { tenant_id: tenant.id, role: 'service' })).plan;
    expect(await plan()).toBe('free');
    // Another process makes this change, and its event is lost.
    const tenants = app.app.db.collection<{ _id: string }>('tenants');
    await tenants.updateOne({ _id: tenant.id }, { $set: { plan: 'pro' } });
    clock.advance(600);
    expect(await plan()).toBe('free');
    clock.advance(600);
    expect(await plan()).toBe('pro');
  } finally {
    await app.close();
  }
});
