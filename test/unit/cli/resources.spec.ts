import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../../../cli/program';
import { Terminal } from '../../../cli/terminal';
import { machine, serving, talking } from './machine';

describe('commands for the resources of a tenant', () => {
  const FLOWS = { data: [{ id: 'w1', name: 'Intake' }], limit: 200, offset: 0 };

  it('registers a tenant, keeps the token and not the password', async () => {
    const made = { token: 'a-token', user: { email: 'a@b.example' }, tenant: { slug: 'finch' } };
    await talking({ 'POST /api/v1/auth/register': made }, async (_run, seen, { world, output, home }) => {
      const { EVERSTEP_URL: url = '' } = world.env;
      const other = { ...world, env: { EVERSTEP_PASSWORD: 'choose-a-long-one' } };
      expect(await runProgram(['register', url, '--tenant', 'finch', '--email', 'a@b.example'], other)).toBe('ok');
      expect(output.out).toBe(`Registered finch at ${url}; signed in as a@b.example\n`);
      const sent = { tenant_slug: 'finch', tenant_name: 'finch', email: 'a@b.example', password: 'choose-a-long-one' };
      expect(seen).toEqual([`POST /api/v1/auth/register ${JSON.stringify(sent)}`]);
      const kept = readFileSync(join(home, '.config', 'everstep', 'credentials.json'), 'utf8');
      expect(kept).toContain('a-token');
      expect(kept).not.toContain('choose-a-long-one');
    });
  });

  it('registers an OAuth app with a secret from standard input, finds it by name, and connects an account with it', async () => {
    const app = { id: 'a1', name: 'Shop', redirect_uri: 'http://a/api/v1/oauth/callback' };
    await talking(
      {
        'POST /api/v1/oauth-apps': app,
        'GET /api/v1/oauth-apps': { data: [app] },
        'POST /api/v1/oauth-apps/a1/authorize': { authorize_url: 'http://a/go?ticket=1' },
        'DELETE /api/v1/oauth-apps/a1': null,
      },
      async (run, seen) => {
        const create = ['oauth-app', 'create', 'Shop', '--preset', 'shopify', '--client-id', 'c'];
        expect(await run(...create, '--variables', '{"shop": "acme"}', '--scopes', 'a b', '--stdin')).toBe('ok');
        expect(await run(...create)).toBe('usage');
        expect(await run(...create, '--public', '--variables', '{')).toBe('usage');
        expect(await run('oauth-app', 'create', 'Shop', '--public')).toBe('usage');
        expect(await run('connection', 'connect', 'Shop', '--again', 'c7', '--print')).toBe('ok');
        expect(await run('connection', 'connect', 'Nothing')).toBe('not_found');
        expect(await run('oauth-app', 'delete', 'Shop')).toBe('ok');
        const created = { name: 'Shop', client_id: 'c', client_secret: 'evs_key', preset: 'shopify' };
        expect(seen.filter((line) => !line.startsWith('GET'))).toEqual([
          `POST /api/v1/oauth-apps ${JSON.stringify({ ...created, variables: { shop: 'acme' }, scopes: ['a', 'b'] })}`,
          'POST /api/v1/oauth-apps/a1/authorize {"connection":"c7"}',
          'DELETE /api/v1/oauth-apps/a1',
        ]);
      },
    );
  });

  it('shows, replaces and removes the limits of a connection, found by its name', async () => {
    const limits = { rate: { limit: 100, period_seconds: 60 }, concurrency: 5 };
    await talking(
      {
        'GET /api/v1/oauth/connections': {
          data: [{ id: 'c1', name: 'work', limits: { rate: null, concurrency: null } }],
        },
        'PUT /api/v1/connections/c1/limits': { id: 'c1', limits },
      },
      async (run, seen, { output }) => {
        expect(await run('connection', 'limits', 'work')).toBe('ok');
        expect(await run('connection', 'limits', 'work', '--rate', '100/1m', '--concurrency', '5')).toBe('ok');
        expect(output.out).toBe('no limits\n5 at a time, 100 in 60 s\n');
        expect(await run('connection', 'limits', 'c1', '--none')).toBe('ok');
        expect(await run('connection', 'limits', 'work', '--rate', 'fast')).toBe('usage');
        expect(await run('connection', 'limits', 'work', '--concurrency', 'many')).toBe('usage');
        expect(await run('connection', 'limits', 'work', '--concurrency', '5', '--none')).toBe('usage');
        expect(await run('connection', 'limits', 'gone')).toBe('not_found');
        expect(seen.filter((line) => line.startsWith('PUT'))).toEqual([
          `PUT /api/v1/connections/c1/limits ${JSON.stringify(limits)}`,
          'PUT /api/v1/connections/c1/limits {"rate":null,"concurrency":null}',
        ]);
      },
    );
  });

  it('sets a secret from standard input without the final line break, and prompts otherwise', async () => {
    await talking(
      { 'POST /api/v1/secrets': { name: 'KEY' }, 'DELETE /api/v1/secrets/KEY': null },
      async (run, seen) => {
        expect(await run('secret', 'set', 'KEY', '--stdin')).toBe('ok');
        expect(await run('secret', 'set', 'KEY')).toBe('usage');
        expect(await run('secret', 'delete', 'KEY', 'GONE')).toBe('not_found');
        expect(seen).toEqual([
          'POST /api/v1/secrets {"name":"KEY","value":"evs_key"}',
          'DELETE /api/v1/secrets/KEY',
          'DELETE /api/v1/secrets/GONE',
        ]);
      },
    );
  });

  it('shows why the server refuses a value of a secret', async () => {
    const error = "The 'value' must have at least 4 characters: shorter values cannot be masked.";
    await serving(
      (request, response) => {
        request.resume();
        response.writeHead(400, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ error, code: 'invalid_request', details: [{ path: 'value', message: error }] }));
      },
      async (url) => {
        const { run, output } = machine({ EVERSTEP_URL: url, EVERSTEP_API_KEY: 'evs_key' });
        expect(await run('secret', 'set', 'KEY', '--stdin')).toBe('refused');
        expect(output.err).toContain(error);
      },
    );
  });

  it('switches workflows by name, and deletes them only after a confirmation', async () => {
    const answers = {
      'GET /api/v1/workflows': FLOWS,
      'PUT /api/v1/workflows/w1/disable': { name: 'Intake', enabled: false },
      'DELETE /api/v1/workflows/w1': null,
    };
    await talking(answers, async (run, seen, { world, output }) => {
      expect(await run('workflow', 'disable', 'Intake')).toBe('ok');
      expect(output.out).toBe('Intake is disabled\n');
      const words = ['workflow', 'delete', 'Intake'];
      expect(await run(...words)).toBe('usage');
      expect(await runProgram(words, { ...world, ask: async () => 'no' })).toBe('refused');
      expect(seen.filter((line) => line.startsWith('DELETE'))).toEqual([]);
      expect(await runProgram(words, { ...world, ask: async () => 'yes' })).toBe('ok');
      expect(await run(...words, '--yes')).toBe('ok');
      expect(seen.filter((line) => line.startsWith('DELETE'))).toHaveLength(2);
    });
  });

  it('lists runs by the names of their workflows, and says why one failed or waits', async () => {
    const runs = {
      data: [
        { id: 'r1', workflow_def_id: 'w1', workflow_name: 'Intake', error: { message: 'no-answer' }, waiting: [] },
        { id: 'r2', workflow_def_id: 'w2', workflow_name: 'Bills', waiting: [{ kind: 'approval', step_id: 'ask' }] },
      ],
      next_cursor: null,
    };
    await talking({ 'GET /api/v1/executions': runs }, async (run, _seen, { output }) => {
      expect(await run('run', 'list')).toBe('ok');
      const lines = output.out.trim().split('\n').slice(1);
      expect(lines.map((line) => line.trim().split(/\s+/).slice(1).join(' '))).toEqual([
        'Intake no-answer',
        'Bills waits for approval ask',
      ]);
    });
  });

  it('acts on schedules: list, pause, start now, and a backfill in as many calls as it takes', async () => {
    const row = { workflow_name: 'Intake', trigger: 1, every: '5m', timezone: 'UTC', paused: true, next_at: null };
    const slot = (hour: number) => ({
      scheduled_for: `2026-11-24T0${hour}:00:00.000Z`,
      outcome: 'started',
      execution_id: `r${hour}`,
    });
    const backfills = [
      { data: [slot(8)], next_from: '2026-11-24T09:00:00.000Z', stopped: null },
      {
        data: [slot(9)],
        next_from: '2026-11-24T10:00:00.000Z',
        stopped: { code: 'quota_exceeded', message: 'used up' },
      },
    ];
    const answers: Record<string, unknown> = {
      'GET /api/v1/workflows': FLOWS,
      'GET /api/v1/schedules': { data: [row] },
      'POST /api/v1/workflows/w1/schedule/pause': { paused: true },
      'POST /api/v1/workflows/w1/schedule/fire': { execution_id: 'r1' },
      get 'POST /api/v1/workflows/w1/schedule/backfill'() {
        return backfills.shift();
      },
    };
    await talking(answers, async (run, seen, { output }) => {
      expect(await run('schedule', 'list')).toBe('ok');
      expect(output.out).toMatch(/Intake +1 +every 5m +UTC +paused/);
      expect(await run('schedule', 'pause', 'Intake', '--trigger', '1')).toBe('ok');
      expect(await run('schedule', 'pause', 'Intake', '--trigger', 'x')).toBe('usage');
      output.out = '';
      expect(await run('schedule', 'fire', 'Intake')).toBe('ok');
      expect(output.out).toBe('r1\n');
      output.out = '';
      expect(await run('schedule', 'backfill', 'Intake', '--from', '2026-11-24T08:00:00Z')).toBe('usage');
      const range = ['--from', '2026-11-24T08:00:00Z', '--to', '2026-11-24T12:00:00Z'];
      expect(await run('schedule', 'backfill', 'Intake', ...range)).toBe('refused');
      expect(output.out).toBe('2026-11-24T08:00:00.000Z  started  r8\n2026-11-24T09:00:00.000Z  started  r9\n');
      expect(output.err).toContain('stopped at 2026-11-24T10:00:00.000Z: used up');
      expect(seen.filter((line) => line.includes('backfill'))).toHaveLength(2);
    });
  });

  it('acts on alerts: makes one of options or of a file, lists them with their state, tests, mutes and deletes one', async () => {
    const row = {
      id: 'a1',
      name: 'Orders fail',
      condition: { kind: 'failures_in_row', failures: 3 },
      state: 'firing',
      firing_since: '2026-11-27T10:00:00.000Z',
      channels: [
        { kind: 'webhook', url: 'https://ops.example.com/***', secret: 'whsec_once' },
        { kind: 'mail', to: ['owners'] },
      ],
    };
    const notice = {
      created_at: '2026-11-27T10:00:00.000Z',
      kind: 'opened',
      status: 'sent',
      channel: { target: 'ops' },
    };
    const answers: Record<string, unknown> = {
      'GET /api/v1/workflows': FLOWS,
      'GET /api/v1/alerts': { data: [row] },
      'POST /api/v1/alerts': row,
      'POST /api/v1/alerts/a1/test': { data: [{ subject: '[Test] Orders fail', channel: { target: 'ops' } }] },
      'POST /api/v1/alerts/a1/mute': row,
      'GET /api/v1/alerts/a1/notifications': { data: [notice] },
      'DELETE /api/v1/alerts/a1': {},
    };
    await talking(answers, async (run, seen, { output }) => {
      const url = ['--webhook', 'https://ops.example.com/hook'];
      expect(await run('alert', 'create', 'Orders fail', '--failures', '3', '--workflow', 'Intake', ...url)).toBe('ok');
      expect(output.out).toContain('Secret of https://ops.example.com/***, shown once: whsec_once\n');
      expect(await run('alert', 'create', 'x', '--failures', '3')).toBe('usage');
      expect(await run('alert', 'create', 'missing.json')).toBe('usage');
      output.out = '';
      expect(await run('alert', 'list')).toBe('ok');
      expect(output.out).toMatch(/Orders fail +failures_in_row +firing since 2026-11-27T10:00:00\.000Z/);
      expect(output.out).toContain('https://ops.example.com/***, mail to owners');
      output.out = '';
      expect(await run('alert', 'test', 'Orders fail')).toBe('ok');
      expect(output.out).toBe('Sending to ops: [Test] Orders fail\n');
      expect(await run('alert', 'history', 'a1')).toBe('ok');
      expect(output.out).toMatch(/opened +ops +sent/);
      expect(await run('alert', 'mute', 'Orders fail', '--for', 'soon')).toBe('usage');
      expect(await run('alert', 'mute', 'Orders fail', '--for', '2h')).toBe('ok');
      expect(await run('alert', 'mute', 'Orders fail', '--off')).toBe('ok');
      expect(await run('alert', 'delete', 'Orders fail')).toBe('ok');
      expect(await run('alert', 'delete', 'Nothing')).toBe('not_found');
      expect(seen.filter((line) => line.startsWith('DELETE'))).toEqual(['DELETE /api/v1/alerts/a1']);
    });
  });

  it('shows schedules, or that there are none', async () => {
    const schedule = {
      type: 'schedule',
      cron: '0 8 * * *',
      timezone: 'UTC',
      paused: true,
      next_runs: ['2026-11-24T08:00:00.000Z'],
    };
    const answers: Record<string, unknown> = {
      'GET /api/v1/workflows': FLOWS,
      'GET /api/v1/workflows/w1/schedule': { schedule },
    };
    await talking(answers, async (run, _seen, { output }) => {
      expect(await run('schedule', 'Intake')).toBe('ok');
      expect(output.out).toBe('schedule 0 8 * * * (UTC), paused\n  2026-11-24T08:00:00.000Z\n');
      answers['GET /api/v1/workflows/w1/schedule'] = { schedule: null };
      output.out = '';
      expect(await run('schedule', 'Intake')).toBe('ok');
      expect(output.out).toBe('Intake has no schedule\n');
    });
  });

  it('opens a page only for a person at a terminal', async () => {
    await talking({}, async (_run, _seen, { world, output }) => {
      const opened: string[] = [];
      const live = new Terminal((text) => (output.out += text), { colours: false, live: true });
      const atDesk = { ...world, browse: (url: string) => void opened.push(url) };
      expect(await runProgram(['open'], atDesk)).toBe('ok');
      expect(await runProgram(['open', '--print'], { ...atDesk, out: live })).toBe('ok');
      expect(opened).toEqual([]);
      expect(await runProgram(['open'], { ...atDesk, out: live })).toBe('ok');
      expect(opened).toEqual([`${world.env.EVERSTEP_URL}/docs`]);
    });
  });

  it.each([
    [['workflow', 'pul'], 'did you mean "workflow pull"?'],
    [['secrt', 'list'], 'did you mean "secret list"?'],
    [['conectors'], 'did you mean "connectors"?'],
    [['help', 'lgoin'], 'did you mean "login"?'],
    [['run'], 'there are run list, run watch'],
    [['zzzzzzzz'], 'see everstep help'],
    [['run', 'list', '--stauts', 'x'], 'did you mean --status?'],
  ])('%j is answered with similar commands', async (words, hint) => {
    const { run, output } = machine();
    expect(await run(...words)).toBe('usage');
    expect(output.err).toContain(hint);
  });
});
