import type { RequestListener } from 'node:http';
import { machine, serving, talking } from './machine';

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

describe('commands about the audit log', () => {
  it('verify it part by part, print its head, and end with a negative result at a fault', async () => {
    const parts: Record<string, object> = {
      '1': { valid: true, events: 2, head: { seq: 2, hash: 'aa' }, next_seq: 3 },
      '3': { valid: true, events: 1, head: { seq: 3, hash: 'ab' }, next_seq: null },
      '9': { valid: false, events: 1, next_seq: null, first_fault: { seq: 2, message: 'The event was changed' } },
    };
    let first = '1';
    const serve: RequestListener = ({ url = '' }, response) => {
      const from = new URL(url, 'http://server').searchParams.get('from_seq') ?? '';
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(parts[from === '1' ? first : from]));
    };
    await serving(serve, async (url) => {
      const { run, output } = machine({ EVERSTEP_URL: url, EVERSTEP_API_KEY: 'evs_key' });
      expect(await run('audit', 'verify')).toBe('ok');
      expect(output.out).toBe('3 events are as they were written; head 3:ab\n');
      first = '9';
      expect(await run('audit', 'verify')).toBe('no');
      expect(output.out).toContain('Event 2: The event was changed\n');
    });
  });

  it('list events by their filters', async () => {
    const event = {
      at: 'now',
      actor: { type: 'user', email: 'a@b.c' },
      action: 'member.role',
      target: { id: 'u1', name: null },
    };
    await talking({ 'GET /api/v1/audit': { data: [event], next_cursor: null } }, async (run, seen, { output }) => {
      expect(await run('audit', 'list', '--action', 'member.', '--from', '2026-11-01')).toBe('ok');
      expect(await run('audit', 'list', '--limit', '0')).toBe('usage');
      expect(seen).toEqual(['GET /api/v1/audit']);
      expect(output.out).toMatch(/now +a@b\.c +member\.role +u1/);
    });
  });
});
