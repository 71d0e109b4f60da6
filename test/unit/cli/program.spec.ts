import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { type ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { readEvents, type ServerEvent } from '../../../cli/events';
import { EXITS } from '../../../cli/exits';
import { Profiles } from '../../../cli/profiles';
import { COMMANDS } from '../../../cli/program';
import { machine, serving } from './machine';

const PAGE = readFileSync(join(__dirname, '..', '..', '..', 'docs', 'cli.md'), 'utf8');

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
