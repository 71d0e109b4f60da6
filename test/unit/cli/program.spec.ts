import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readEvents, type ServerEvent } from '../../../cli/events';
import { EXITS } from '../../../cli/exits';
import { Profiles } from '../../../cli/profiles';
import { COMMANDS, runProgram } from '../../../cli/program';
import { Terminal } from '../../../cli/terminal';
import type { World } from '../../../cli/world';

const PAGE = readFileSync(join(__dirname, '..', '..', '..', 'docs', 'cli.md'), 'utf8');

const homes: string[] = [];
afterAll(() => {
  for (const home of homes) rmSync(home, { recursive: true, force: true });
});

/** A machine with its own home folder, and the output of its commands. */
function machine(env: Record<string, string> = {}) {
  const home = mkdtempSync(join(tmpdir(), 'everstep-cli-'));
  homes.push(home);
  const output = { out: '', err: '' };
  const look = { colours: false, live: false };
  const world: World = {
    env,
    home,
    cwd: home,
    out: new Terminal((text) => (output.out += text), look),
    err: new Terminal((text) => (output.err += text), look),
    signal: new AbortController().signal,
    now: () => 0,
    readAll: async () => 'evs_key\n',
    ask: async () => null,
    browse: () => undefined,
  };
  return { world, output, home, run: (...words: string[]) => runProgram(words, world) };
}

/** Serves while the action runs. */
async function serving(answer: RequestListener, action: (url: string, server: Server) => Promise<void>): Promise<void> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await action(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, server);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe('the table of commands', () => {
  it.each(COMMANDS.map(({ name }) => name))('%s has help and is documented', async (name) => {
    const { run, output } = machine();
    expect(await run('help', ...name.split(' '))).toBe('ok');
    expect(output.out).toContain(`everstep ${name}`);
    expect(name === 'version' || PAGE.includes(name)).toBe(true);
  });

  it('has the exit codes that the page lists', () => {
    const listed = [...PAGE.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
    expect(listed).toEqual(expect.arrayContaining(Object.values(EXITS)));
  });

  it.each([
    ['an unknown command', ['nonsense']],
    ['an unknown option', ['workflow', 'list', '--colour']],
    ['a word too few', ['run', 'watch']],
    ['a word too many', ['run', 'cancel', 'a', 'b']],
    ['a profile that is a path', ['whoami', '--profile', '../x']],
    ['an address that is none', ['login', 'ftp://example.com', '--api-key', '--stdin']],
    ['a key without a server', ['whoami']],
  ])('refuses %s with 2', async (_what, words) => {
    const { run, output } = machine({ EVERSTEP_API_KEY: 'evs_x' });
    expect(await run(...words)).toBe('usage');
    expect(output.err).toMatch(/^everstep: \S/);
  });
});

describe('servers', () => {
  const refused = [
    [401, {}, 'signed_out'],
    [403, {}, 'refused'],
    [404, {}, 'not_found'],
    [409, { code: 'idempotency_in_progress' }, 'unreachable'],
    [429, {}, 'unreachable'],
    [503, {}, 'unreachable'],
  ] as const;
  it.each(refused)('that answer %i %j end a command with %s', async (status, body, exit) => {
    await serving(
      (_request, response) => response.writeHead(status).end(JSON.stringify({ error: 'no\u001b[2J', ...body })),
      async (url) => {
        const { run, output } = machine({ EVERSTEP_URL: url, EVERSTEP_API_KEY: 'evs_x' });
        expect(await run('whoami', '--json')).toBe(exit);
        expect(JSON.parse(output.err)).toMatchObject({ error: 'no\u001b[2J', exit, ...body });
        expect(output.out).toBe('');
      },
    );
  });

  it('that redirect are not followed with the credential', async () => {
    const asked: string[] = [];
    await serving(
      (request, response) => {
        asked.push(request.url ?? '');
        response.writeHead(307, { location: '/elsewhere' }).end();
      },
      async (url) => {
        const { run } = machine({ EVERSTEP_URL: url, EVERSTEP_API_KEY: 'evs_x' });
        expect(await run('whoami')).toBe('refused');
      },
    );
    expect(asked).toEqual(['/api/v1/me']);
  });

  it('that are not Everstep are recognized', async () => {
    await serving(
      (_request, response) => response.end('<html>'),
      async (url, server) => {
        const { run, output } = machine({ EVERSTEP_URL: url, EVERSTEP_API_KEY: 'evs_x' });
        expect(await run('workflow', 'list')).toBe('refused');
        server.close();
        server.closeAllConnections();
        expect(await run('workflow', 'list')).toBe('unreachable');
        expect(output.err).toContain('ECONNREFUSED');
      },
    );
  });
});

describe('servers that are not Everstep', () => {
  const id = '/../../evil';
  const workflow = { id, name: 'a', dsl: {}, description: '\u009b2J' };
  const json = (response: ServerResponse, body: unknown): void => void response.end(JSON.stringify(body));

  it('cannot write files outside of the folder of a pull', async () => {
    await serving(
      ({ url = '' }, response) => json(response, url.includes('?') ? { data: [workflow] } : workflow),
      async (url) => {
        const { run, output, home } = machine({ EVERSTEP_URL: url, EVERSTEP_API_KEY: 'evs_x' });
        mkdirSync(join(home, 'in'));
        writeFileSync(join(home, 'in', 'a.workflow.json'), '{}');
        expect(await run('workflow', 'pull', '--all', '--dir', 'in')).toBe('ok');
        expect(readdirSync(home)).toEqual(['in']);
        expect(readdirSync(join(home, 'in')).sort()).toEqual(['a-e.workflow.json', 'a.workflow.json']);
        expect(await run('workflow', 'pull', 'a', '--stdout')).toBe('ok');
        expect(output.out).not.toContain('\u009b');
        rmSync(home, { recursive: true });
      },
    );
  });

  it('are rejected with a message if their events are invalid or never end', async () => {
    const streams = ['event: step\ndata: \u001b[2Jno JSON\n\n', `data: ${'x'.repeat(1024 * 1024)}\n`.repeat(40)];
    for (const text of streams)
      await serving(
        ({ url = '' }, response) => (url.endsWith('/stream') ? void response.end(text) : json(response, { total: 1 })),
        async (url) => {
          const { run, output } = machine({ EVERSTEP_URL: url, EVERSTEP_API_KEY: 'evs_x' });
          expect(await run('run', 'watch', 'r')).toBe('refused');
          expect(output.err).toMatch(/^everstep: .*is not an Everstep server/);
        },
      );
  });

  it('that are unreachable are retried, also when the connection was lost long before', async () => {
    const HOUR = 3_600_000;
    let now = 0;
    let tries = 0;
    await serving(
      ({ url = '' }, response) => {
        if (!url.endsWith('/stream')) return json(response, { total: 1, status: 'completed' });
        tries += 1;
        if (tries === 3) return void response.writeHead(503).end();
        if (tries === 4) return void response.end('event: end\ndata: {"status":"completed"}\n\n');
        // Silent for an hour, then cut.
        response.flushHeaders();
        response.write(': still here\n\n', () => {
          now += HOUR;
          response.end();
        });
      },
      async (url) => {
        const { world, run } = machine({ EVERSTEP_URL: url, EVERSTEP_API_KEY: 'evs_x' });
        Object.assign(world, { now: () => now });
        expect(await run('run', 'watch', 'r')).toBe('ok');
      },
    );
  });

  it('cannot exhaust the memory with one response', async () => {
    const piece = Buffer.alloc(1024 * 1024, ' ');
    let sent = 0;
    await serving(
      (_request, response) => {
        const more = (): void => void response.write(piece, () => ++sent < 200 && more());
        more();
      },
      async (url) => {
        const { run } = machine({ EVERSTEP_URL: url, EVERSTEP_API_KEY: 'evs_x' });
        expect(await run('whoami')).toBe('refused');
      },
    );
    expect(sent).toBeLessThan(100);
  });

  it('get no request with a key that is not valid in a header, and the key is not printed', async () => {
    const { run, output } = machine({ EVERSTEP_URL: 'http://127.0.0.1:1', EVERSTEP_API_KEY: 'evs_hidden\nx' });
    expect(await run('whoami')).toBe('usage');
    expect(output.err).toContain('EVERSTEP_API_KEY');
    expect(output.err).not.toContain('evs_hidden');
  });
});

describe('profiles', () => {
  it('are readable by their owner only, and restrict files that others could read', () => {
    const { world, output, home } = machine();
    const profiles = new Profiles(world);
    profiles.save('work', { url: 'http://a', credential: 'secret', kind: 'token' });
    expect(statSync(profiles.path).mode & 0o777).toBe(0o600);
    chmodSync(profiles.path, 0o644);
    expect(new Profiles(world).find('work')).toEqual({ url: 'http://a', credential: 'secret', kind: 'token' });
    expect(statSync(profiles.path).mode & 0o777).toBe(0o600);
    expect(output.err).toContain('was readable by other users');
    expect(output.err).not.toContain('secret');
    rmSync(home, { recursive: true });
  });

  it('of concurrent logins are all kept, and a dead process blocks none', () => {
    const { world, home } = machine();
    const profiles = new Profiles(world);
    const profile = { url: 'http://a', credential: 'secret', kind: 'token' } as const;
    profiles.save('mine', profile);
    const lock = `${profiles.path}.lock`;
    const theirs = join(home, 'theirs');
    writeFileSync(theirs, JSON.stringify({ current: 'theirs', profiles: { theirs: profile } }));
    writeFileSync(lock, '');
    // Another command is between its reading and its writing.
    spawn('sh', ['-c', 'sleep 0.2; mv "$0" "$1"; rm "$2"', theirs, profiles.path, lock]);
    profiles.save('later', profile);
    expect(Object.keys(JSON.parse(readFileSync(profiles.path, 'utf8')).profiles)).toEqual(['theirs', 'later']);
    writeFileSync(lock, '');
    utimesSync(lock, 1, 1);
    expect(profiles.remove('theirs')).toBe(true);
    expect(readdirSync(dirname(profiles.path))).toEqual(['credentials.json']);
    rmSync(home, { recursive: true });
  });

  it('that cannot be read are an error', async () => {
    const { world, run, home } = machine();
    const profiles = new Profiles(world);
    profiles.save('default', { url: 'http://a', credential: 'secret', kind: 'token' });
    writeFileSync(profiles.path, '{"current": "default", "profiles": {"default": {"url": 1}}}');
    expect(await run('whoami')).toBe('refused');
    rmSync(home, { recursive: true });
  });

  it('are created with an API key only if the server accepts it', async () => {
    let status = 401;
    await serving(
      (_request, response) => response.writeHead(status).end(JSON.stringify({ email: 'a@b', error: 'no' })),
      async (url) => {
        const { run, world, output } = machine();
        expect(await run('login', url, '--api-key', '--stdin')).toBe('signed_out');
        expect(new Profiles(world).find('default')).toBeUndefined();
        status = 200;
        expect(await run('login', url, '--api-key', '--stdin')).toBe('ok');
        expect(new Profiles(world).find('default')).toEqual({ url, credential: 'evs_key', kind: 'api_key' });
        expect(output.out + output.err).not.toContain('evs_key');
      },
    );
  });
});

describe('a login to an account with a second factor', () => {
  const wrong = { error: 'The code is wrong', code: 'invalid_code' };
  const asked = { error: 'Send the challenge', code: 'second_factor_challenge', second_factor: { challenge: 'c1' } };

  /** A server that asks for a second factor; the proofs that it got. */
  const asking = async (action: (url: string, proofs: unknown[]) => Promise<void>): Promise<void> => {
    const proofs: unknown[] = [];
    await serving(
      (request, response) => {
        let text = '';
        request.on('data', (chunk: Buffer) => (text += chunk.toString()));
        request.on('end', () => {
          const [status, body] = request.url?.endsWith('/second-factor')
            ? [text.includes('000000') ? 401 : 200, text.includes('000000') ? wrong : { token: 'a-token' }]
            : request.url?.endsWith('/login')
              ? [401, asked]
              : [200, { email: 'a@b.example', role: 'owner', tenant: { slug: 'finch' } }];
          if (request.url?.endsWith('/second-factor')) proofs.push(JSON.parse(text));
          response.writeHead(status as number, { 'content-type': 'application/json' }).end(JSON.stringify(body));
        });
      },
      (url) => action(url, proofs),
    );
  };
  const words = (url: string): string[] => ['login', url, '--tenant', 'finch', '--email', 'a@b.example'];

  it('asks for the code, or takes a recovery code, and stores the session', async () => {
    await asking(async (url, proofs) => {
      const { world } = machine({ EVERSTEP_PASSWORD: 'a password' });
      expect(await runProgram(words(url), { ...world, ask: async () => '123 456' })).toBe('ok');
      expect(await runProgram(words(url), { ...world, ask: async () => 'ab2c-d3ef-gh4i-jk5m' })).toBe('ok');
      expect(proofs).toEqual([
        { challenge: 'c1', code: '123 456' },
        { challenge: 'c1', recovery_code: 'ab2c-d3ef-gh4i-jk5m' },
      ]);
      expect(new Profiles(world).find('default')).toMatchObject({ credential: 'a-token', kind: 'token' });
    });
  });

  it('takes the code as the second line of standard input, and fails with a wrong one', async () => {
    await asking(async (url, proofs) => {
      const { world } = machine();
      const line = [...words(url), '--stdin'];
      expect(await runProgram(line, { ...world, readAll: async () => 'a password\n654321\n' })).toBe('ok');
      expect(await runProgram(line, { ...world, readAll: async () => 'a password\n000000\n' })).toBe('signed_out');
      expect(proofs).toEqual([
        { challenge: 'c1', code: '654321' },
        { challenge: 'c1', code: '000000' },
      ]);
    });
  });
});

describe('server-sent events', () => {
  it('are read for any split into chunks', async () => {
    const text =
      ': hello\n\nretry: 2000\n\nid: 1\nevent: step\ndata: {"a":\ndata: 1}\n\nid: 2\r\ndata:x\r\n\r\ndata: y\n\n';
    const wanted = [
      { id: '1', event: 'step', data: '{"a":\n1}' },
      { id: '2', event: 'message', data: 'x' },
      { id: '2', event: 'message', data: 'y' },
    ];
    for (let size = 1; size <= text.length; size++) {
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      const events: ServerEvent[] = [];
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          for (const piece of pieces) controller.enqueue(Buffer.from(piece));
          controller.close();
        },
      });
      expect(
        await readEvents(
          new Response(body),
          (event) => void events.push(event),
          () => undefined,
        ),
      ).toBe('cut');
      expect(events).toEqual(wanted);
    }
  });
});

describe('commands for the resources of a tenant', () => {
  /** A server that responds by method and path, and records its requests. */
  const talking = async (
    answers: Readonly<Record<string, unknown>>,
    action: (
      run: (...words: string[]) => Promise<string>,
      seen: string[],
      made: ReturnType<typeof machine>,
    ) => Promise<void>,
  ): Promise<void> => {
    const seen: string[] = [];
    const serve: RequestListener = (request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const line = `${request.method} ${(request.url ?? '').split('?')[0]}`;
        seen.push(body === '' || body === '{}' ? line : `${line} ${body}`);
        const answer = answers[line];
        response.writeHead(answer === undefined ? 404 : answer === null ? 204 : 200, {
          'content-type': 'application/json',
        });
        response.end(answer === null ? '' : JSON.stringify(answer ?? { error: 'There is nothing', code: 'not_found' }));
      });
    };
    await serving(serve, async (url) => {
      const made = machine({ EVERSTEP_URL: url, EVERSTEP_API_KEY: 'evs_key' });
      await action((...words) => made.run(...words), seen, made);
    });
  };
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
