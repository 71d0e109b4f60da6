import { talking } from './machine';

const DEPLOY = { id: 's1', kind: 'service', email: 'service:deploy', role: 'member', sign_in: [] };
const GRACE = { id: 'u1', kind: 'person', email: 'grace@b.example', role: 'member', sign_in: ['password'] };

describe('commands about keys and members', () => {
  const changes = (seen: readonly string[]): string[] => seen.filter((line) => !line.startsWith('GET'));

  it('create, rotate and revoke API keys, which are found by id or name', async () => {
    const keys = ['Pipeline', 'twice', 'twice'].map((name, n) => ({
      id: `k${n}`,
      name,
      prefix: 'evs_ab',
      scope: 'run',
    }));
    await talking(
      {
        'GET /api/v1/api-keys': { data: keys },
        'GET /api/v1/team/members': { data: [GRACE, DEPLOY] },
        'POST /api/v1/api-keys': { ...keys[0], key: 'evs_value' },
        'POST /api/v1/api-keys/k0/rotate': { ...keys[0], key: 'evs_other' },
        'DELETE /api/v1/api-keys/k0': null,
      },
      async (run, seen, { output }) => {
        expect(await run('key', 'create', 'ci')).toBe('ok');
        expect(await run('key', 'create', 'ci', '--scope', 'edit', '--service-account', 'deploy')).toBe('ok');
        expect(await run('key', 'create', 'ci', '--service-account', 'grace')).toBe('not_found');
        expect(await run('key', 'create', 'ci', '--expires-in', 'soon')).toBe('usage');
        expect(await run('key', 'rotate', 'Pipeline', '--now')).toBe('ok');
        expect(await run('key', 'rotate', 'k0', '--overlap', '2h')).toBe('ok');
        expect(await run('key', 'rotate', 'k0', '--overlap', 'long')).toBe('usage');
        expect(await run('key', 'revoke', 'Pipeline')).toBe('ok');
        expect(await run('key', 'revoke', 'twice')).toBe('refused');
        expect(await run('key', 'revoke', 'none')).toBe('not_found');
        expect(await run('key', 'list')).toBe('ok');
        expect(changes(seen)).toEqual([
          'POST /api/v1/api-keys {"name":"ci","scope":"run"}',
          'POST /api/v1/api-keys {"name":"ci","scope":"edit","service_account_id":"s1"}',
          'POST /api/v1/api-keys/k0/rotate {"overlap_seconds":0}',
          'POST /api/v1/api-keys/k0/rotate {"overlap_seconds":7200}',
          'DELETE /api/v1/api-keys/k0',
        ]);
        expect(output.out).toContain('evs_value\n');
        expect(output.out).toContain('evs_other\n');
      },
    );
  });

  it('create a key that expires', async () => {
    await talking({ 'POST /api/v1/api-keys': { key: 'evs_value' } }, async (run, seen) => {
      const before = Date.now();
      expect(await run('key', 'create', 'ci', '--expires-in', '90d')).toBe('ok');
      const { expires_at } = JSON.parse(String(seen[0]).replace('POST /api/v1/api-keys ', '')) as {
        expires_at: string;
      };
      const days = (Date.parse(expires_at) - before) / 86_400_000;
      expect(days).toBeGreaterThanOrEqual(90);
      expect(days).toBeLessThan(90.01);
    });
  });

  it('invite, change and remove members, who are found by id or address', async () => {
    await talking(
      {
        'GET /api/v1/team/members': { data: [GRACE, DEPLOY] },
        'POST /api/v1/team/invite': { invite_url: 'http://a/console/accept-invite?token=t' },
        'POST /api/v1/team/service-accounts': DEPLOY,
        'PUT /api/v1/team/members/u1/role': { ...GRACE, role: 'viewer' },
        'DELETE /api/v1/team/members/s1': null,
      },
      async (run, seen, { output }) => {
        expect(await run('member', 'invite', 'ada@b.example', '--role', 'viewer')).toBe('ok');
        expect(await run('member', 'add-service', 'deploy')).toBe('ok');
        expect(await run('member', 'role', 'grace@b.example', 'viewer')).toBe('ok');
        expect(await run('member', 'remove', 'deploy')).toBe('ok');
        expect(await run('member', 'remove', 'ada@b.example')).toBe('not_found');
        expect(await run('member', 'list')).toBe('ok');
        expect(changes(seen)).toEqual([
          'POST /api/v1/team/invite {"email":"ada@b.example","role":"viewer"}',
          'POST /api/v1/team/service-accounts {"name":"deploy","role":"member"}',
          'PUT /api/v1/team/members/u1/role {"role":"viewer"}',
          'DELETE /api/v1/team/members/s1',
        ]);
        expect(output.out).toContain('http://a/console/accept-invite?token=t\n');
        expect(output.out).toContain('grace@b.example is viewer\n');
      },
    );
  });
});
