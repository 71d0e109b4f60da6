import { Collection } from 'mongodb';
import { authService } from '../../../services/auth/auth.service';
import { registerTenant } from '../../support/accounts';
import { openTestDatabase, startApp } from '../../support/app';
import { PASSWORD } from '../../support/team';

test('records of a version in which only users stored who is an owner are converted to the current form', async () => {
  const database = await openTestDatabase();
  const before = await startApp({ services: [authService], database });
  const { tenant, user } = await registerTenant(before);
  const { db } = before.app;
  // The record in the format of the previous version.
  await db
    .collection<{ _id: string }>('tenants')
    .updateOne({ _id: tenant.id }, { $unset: { owners: 1, leaving: 1, roster_version: 1 } });
  const gone = { identities: 1, email_verified_at: 1, sessions_valid_from: 1, last_sign_in_at: 1 } as const;
  await db.collection<{ _id: string }>('users').updateOne({ _id: user.id }, { $set: { role: 'owner' }, $unset: gone });
  const found = jest.spyOn(Collection.prototype, 'find');
  await before.close();

  const after = await startApp({ services: [authService], database });
  try {
    const unnamed = found.mock.calls
      .map(([filter]) => filter)
      .find((filter) => filter !== undefined && 'owners' in filter);
    found.mockRestore();
    // A start reads these records, and not every tenant.
    const plan = await after.app.db
      .collection('tenants')
      .find(unnamed as object)
      .explain('queryPlanner');
    expect(JSON.stringify(plan)).not.toContain('COLLSCAN');
    const login = { tenant_slug: tenant.slug, email: user.email, password: PASSWORD };
    const session = await after.call('auth.login', login);
    expect(session.user.role).toBe('owner');
    const owner = { tenant_id: tenant.id };
    expect((await after.call('auth.members', {}, owner)).data).toMatchObject([
      { role: 'owner', sign_in: ['password'] },
    ]);
    const demotion = after.call('auth.set_role', { id: user.id, role: 'member' }, owner);
    await expect(demotion).rejects.toMatchObject({ type: 'conflict' });
    expect((await after.call('auth.verify', { token: session.token })).role).toBe('owner');
  } finally {
    await after.close();
    await database.close();
  }
});
