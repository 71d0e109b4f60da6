import { get, type IncomingMessage } from 'node:http';
import { EventSource } from 'eventsource';
import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import type { RunEvent } from '../../../contracts/executions/views';
import { startApp, type TestApp } from '../../support/app';
import { until } from '../../support/until';
import { execution, fakes, foreign, roleTokens } from './support/fakes';

/** A run whose records the test writes. */
const run = {
  events: [] as RunEvent[],
  looks: 0,
  checks: 0,
  sent: 0,
  fail: false,
  revoked: false,
  asked: 0,
  held: Promise.resolve(),
};
let app: TestApp;

/** Counts how often an event is serialized. */
function counted(this: Record<string, unknown>): unknown {
  run.sent += 1;
  const { toJSON: _, ...data } = this;
  return data;
}

const record = (event: RunEvent['event'], data: RunEvent['data'] = {}, tell = true): void => {
  const position = run.events.length + 1;
  run.events.push({ position, event, data });
  if (tell) void app.broker.broadcast('execution.moved', { id: 'e1', position });
};

beforeAll(async () => {
  app = await startApp({
    services: [
      apiGatewayService,
      ...fakes({
        'auth.verify': (given) => {
          run.checks += 1;
          if (run.revoked) throw foreign('unauthenticated', 401, 'revoked');
          return roleTokens(() => app.app)(given);
        },
        'executions.get': async ({ params, principal }) => {
          run.asked += 1;
          await run.held;
          if (params.id !== 'e1' || principal?.tenant_id !== 't1') throw foreign('not_found', 404, 'none');
          return execution();
        },
        'executions.public': ({ params }) => {
          if (params.id !== 'e1') throw foreign('not_found', 404, 'none');
          return execution();
        },
        'executions.events': ({ params: { after = 0, audience } }) => {
          run.looks += 1;
          if (run.fail) throw foreign('unavailable', 503, 'not now');
          const events = run.events
            .filter(({ position }) => position > after)
            .map((event) => ({ ...event, data: { ...event.data, audience, toJSON: counted } }));
          return { events, ended: run.events.some(({ event }) => event === 'end'), next: run.events.length };
        },
        'executions.moved': ({ params: { runs } }) => ({
          ids: runs.flatMap(({ id, next }) => (next < run.events.length ? [id] : [])),
        }),
      }),
    ],
  });
});
beforeEach(() =>
  Object.assign(run, {
    events: [],
    looks: 0,
    checks: 0,
    sent: 0,
    fail: false,
    revoked: false,
    asked: 0,
    held: Promise.resolve(),
  }),
);
const responses: IncomingMessage[] = [];
// One that a failed test has left open would fail others: streams of a run share their reads, and are limited in number.
afterEach(() => responses.splice(0).forEach((response) => response.destroy()));
afterAll(() => app.close());

interface Open {
  response: IncomingMessage;
  text(): string;
  ended(): boolean;
}

const open = (path: string, headers: Record<string, string> = {}): Promise<Open> =>
  new Promise((resolve, reject) => {
    const request = get(
      app.url + path,
      { headers: { authorization: 'Bearer member@t1', ...headers }, agent: false },
      (response) => {
        responses.push(response);
        let text = '';
        let ended = false;
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('close', () => {
          ended = true;
        });
        response.on('error', () => {});
        resolve({ response, text: () => text, ended: () => ended });
      },
    );
    request.on('error', reject);
  });

const STREAM = '/api/v1/executions/e1/stream';
const ids = (stream: Open): number[] => [...stream.text().matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));

describe('the stream of a run', () => {
  test('sends what was recorded, then what is recorded, and closes after the end', async () => {
    record('status', { status: 'running' });
    const stream = await open(STREAM);
    expect(stream.response.statusCode).toBe(200);
    expect(stream.response.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    expect(stream.response.headers['access-control-allow-origin']).toBe('*');
    await until('the first event is there', () => ids(stream).length === 1);
    record('step', { text: 'line\nbreak' });
    await until('the second is there', () => ids(stream).length === 2);
    record('end', { status: 'completed' });
    await until('the stream is closed', stream.ended);
    expect(stream.text()).toBe(
      'retry: 2000\n\n' +
        'id: 1\nevent: status\ndata: {"status":"running","audience":"tenant"}\n\n' +
        'id: 2\nevent: step\ndata: {"text":"line\\nbreak","audience":"tenant"}\n\n' +
        'id: 3\nevent: end\ndata: {"status":"completed","audience":"tenant"}\n\n',
    );
  });

  test('follows a nudge at once, and goes on without nudges', async () => {
    const stream = await open(STREAM);
    await until('the stream waits', () => run.looks >= 1);
    record('status');
    await until('an announced event is there', () => ids(stream).length === 1, 900);
    record('step', {}, false);
    await until('an untold event is there', () => ids(stream).length === 2, 3_000);
    stream.response.destroy();
  });

  test.each([
    ['the header', STREAM, { 'last-event-id': '2' }],
    ['the query', `${STREAM}?last_event_id=2`, {}],
  ])('goes on after the last event that %s names, without gap or repeat', async (_title, path, headers) => {
    for (let i = 0; i < 4; i += 1) record('step');
    record('end');
    const stream = await open(path, headers as Record<string, string>);
    await until('it is closed', stream.ended);
    expect(ids(stream)).toEqual([3, 4, 5]);
  });

  test('tells a client who has seen the end that there is nothing to come back for', async () => {
    record('end');
    const stream = await open(STREAM, { 'last-event-id': '1' });
    expect(stream.response.statusCode).toBe(204);
  });

  test('refuses an id that is none', async () => {
    expect((await open(STREAM, { 'last-event-id': 'x' })).response.statusCode).toBe(400);
  });

  test('is refused to other tenants, for unknown runs, and without a credential', async () => {
    expect((await open(STREAM, { authorization: 'Bearer owner@t2' })).response.statusCode).toBe(404);
    expect((await open('/api/v1/executions/e2/stream')).response.statusCode).toBe(404);
    expect((await open(STREAM, { authorization: '' })).response.statusCode).toBe(401);
    expect((await open('/public/executions/e2/stream')).response.statusCode).toBe(404);
  });

  test('on the public route shows what the public may see', async () => {
    record('end');
    const stream = await open('/public/executions/e1/stream', { authorization: '' });
    await until('it is closed', stream.ended);
    expect(stream.text()).toContain('"audience":"public"');
  });

  test('survives that the executor cannot be asked for a while', async () => {
    const stream = await open(STREAM);
    await until('the stream waits', () => run.looks >= 1);
    run.fail = true;
    record('step');
    await until('it was asked in vain', () => run.looks >= 3, 5_000);
    run.fail = false;
    await until('the event is there', () => ids(stream).length === 1, 5_000);
  });

  test('ends when the credential is revoked', async () => {
    const stream = await open(STREAM);
    run.revoked = true;
    await until('it is closed', stream.ended, 5_000);
  });

  test('leaves nothing behind when the client leaves', async () => {
    const stream = await open(STREAM);
    await until('the stream waits', () => run.looks >= 1);
    stream.response.destroy();
    await until('no subscriber is left', async () => {
      const before = run.looks;
      await new Promise((resolve) => setTimeout(resolve, 1_300));
      return run.looks === before;
    });
  });

  test.each([
    ['signed in', STREAM, 'Bearer member@t1'],
    ['public', '/public/executions/e1/stream', ''],
  ])('is read and written once for all who follow it, %s', async (_, path, authorization) => {
    const streams = await Promise.all(Array.from({ length: 60 }, () => open(path, { authorization })));
    record('status');
    await until('all have it', () => streams.every((stream) => ids(stream).length === 1));
    const opened = { looks: run.looks, checks: run.checks };
    for (let n = 0; n < 5; n += 1) {
      record('step');
      await until('all have the next', () => streams.every((stream) => ids(stream).length === n + 2));
    }
    // One read for each change, and one more when it changed during a read.
    expect(run.looks - opened.looks).toBeLessThanOrEqual(10);
    expect(run.sent).toBeLessThanOrEqual(12);
    // A credential is checked once a second, not once a stream.
    expect(run.checks - opened.checks).toBeLessThanOrEqual(10);
  });

  test('is not read while it does not move', async () => {
    const streams = await Promise.all(Array.from({ length: 20 }, () => open(STREAM)));
    record('status');
    await until('all have it', () => streams.every((stream) => ids(stream).length === 1));
    const { looks } = run;
    const asked = run.checks;
    // Each check of the credential would read the run as well.
    await until('the credential is checked again', () => run.checks > asked + 1, 10_000);
    expect(run.looks - looks).toBeLessThanOrEqual(1);
  });

  test('is followed by 200 at most, and another run by others', async () => {
    const streams = await Promise.all(Array.from({ length: 200 }, () => open(STREAM)));
    expect(streams.every(({ response }) => response.statusCode === 200)).toBe(true);
    const refused = await fetch(app.url + STREAM, { headers: { authorization: 'Bearer member@t1' } });
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({
      error: expect.stringContaining('More than 200 open streams of one run'),
    });
    for (const { response } of streams) response.destroy();
    await until('there is room again', async () => {
      const stream = await open(STREAM);
      stream.response.destroy();
      return stream.response.statusCode === 200;
    });
  });

  test('is followed by 200 at most of those that open at once', async () => {
    let release = (): void => {};
    run.held = new Promise((resolve) => {
      release = resolve;
    });
    const opening = Array.from({ length: 260 }, () => open(STREAM));
    await until('all have been let in', () => run.asked === 260, 30_000);
    release();
    const streams = await Promise.all(opening);
    const statuses = streams.map(({ response }) => response.statusCode);
    for (const { response } of streams) response.destroy();
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(200);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    await until('there is room again', async () => {
      const stream = await open(STREAM);
      stream.response.destroy();
      return stream.response.statusCode === 200;
    });
  });

  test('HEAD answers without following', async () => {
    const response = await fetch(app.url + STREAM, { method: 'HEAD', headers: { authorization: 'Bearer member@t1' } });
    expect(response.status).toBe(200);
  });

  test('waits for a client that reads slowly, and loses nothing', async () => {
    const stream = await open(STREAM);
    stream.response.pause();
    for (let i = 0; i < 400; i += 1) record('step', { filler: 'x'.repeat(20_000) }, false);
    record('end');
    await until('the server holds back', () => run.looks >= 2, 5_000);
    stream.response.resume();
    await until('it is closed', stream.ended, 10_000);
    expect(ids(stream)).toEqual(Array.from({ length: 401 }, (_, i) => i + 1));
  });

  test('is understood by a standard client', async () => {
    record('status');
    record('end', { status: 'completed' });
    const source = new EventSource(`${app.url}/public/executions/e1/stream`);
    const end = await new Promise<{ data: string; lastEventId: string }>((resolve) =>
      source.addEventListener('end', resolve),
    );
    source.close();
    expect(end).toMatchObject({ data: '{"status":"completed","audience":"public"}', lastEventId: '2' });
  });
});
