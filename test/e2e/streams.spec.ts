import { EventSource } from 'eventsource';
import { Api } from '../support/server';
import { until } from '../support/until';
import { Installation } from './support/installation';
import { createWorkflow, ended, trigger, waitingFor } from './support/runs';

interface Seen {
  id: number;
  event: string;
  data: { step_id?: string; status: string; output?: unknown };
}

let installation: Installation;
let owner: Api;

beforeAll(async () => {
  installation = await Installation.make();
  await installation.start();
  owner = new Api(installation.url);
  await owner.register('streams');
}, 60_000);

afterAll(() => installation?.remove());

/** Follows a stream as a browser does, with automatic reconnects; `last` is the id of the last received event. */
function follow(path: string, options: { token?: string; last?: number } = {}) {
  const seen: Seen[] = [];
  const url = `${installation.url}${path}`;
  const source = new EventSource(url, {
    fetch: (input, init) =>
      fetch(input, {
        ...init,
        headers: {
          ...init.headers,
          ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
          // The client sends it by itself only after an event of its own.
          ...(options.last === undefined || seen.length > 0 ? {} : { 'last-event-id': String(options.last) }),
        },
      }),
  });
  for (const event of ['status', 'step', 'end'])
    source.addEventListener(event, (message) =>
      seen.push({ id: Number(message.lastEventId), event, data: JSON.parse(message.data) }),
    );
  return { seen, source, close: () => source.close() };
}

const steps = (seen: Seen[]): string[] =>
  seen.filter(({ event }) => event === 'step').map(({ data }) => `${data.step_id} ${data.status}`);

const ids = (seen: Seen[]): number[] => seen.map(({ id }) => id);

/** 1, 2, 3, ... without a gap or a repeat. */
const counted = (seen: Seen[]): number[] => seen.map((_, index) => index + 1);

describe('a stream of a run', () => {
  it('goes on over a restart of the server, without a gap or a repeat', async () => {
    const id = await createWorkflow(owner, [
      { id: 'before', type: 'set', config: { n: 1 } },
      { id: 'pause', type: 'wait_for_signal', config: { signal: 'go' } },
      { id: 'after', type: 'set', config: { n: 2 } },
    ]);
    const run = await trigger(owner, id);
    const stream = follow(`/api/v1/executions/${run}/stream`, { token: owner.token });
    try {
      await until('the wait is sent', () => steps(stream.seen).includes('pause waiting'));
      const before = stream.seen.length;

      await installation.server.kill();
      await installation.start();
      await owner.call('POST', `/api/v1/executions/${run}/signal`, { signal: 'go', data: {} });

      await until('the end is sent', () => stream.seen.some(({ event }) => event === 'end'), 20_000);
      expect(stream.seen.length).toBeGreaterThan(before);
      expect(ids(stream.seen)).toEqual(counted(stream.seen));
      expect(steps(stream.seen)).toEqual(
        expect.arrayContaining(['before completed', 'pause completed', 'after completed']),
      );
      expect(stream.seen.at(-1)).toMatchObject({ event: 'end', data: { status: 'completed', output: { n: 2 } } });
      await until('the server has closed the stream for good', () => stream.source.readyState === EventSource.CLOSED);
    } finally {
      stream.close();
    }
  }, 60_000);

  it('of an ended run tells what there was, from where the client left off', async () => {
    const run = await trigger(owner, await createWorkflow(owner, [{ id: 'one', type: 'set', config: { n: 1 } }]));
    await ended(owner, run);
    const all = follow(`/api/v1/executions/${run}/stream`, { token: owner.token });
    await until('the end is sent', () => all.seen.at(-1)?.event === 'end');
    all.close();
    const rest = follow(`/api/v1/executions/${run}/stream`, { token: owner.token, last: 1 });
    await until('the end is sent again', () => rest.seen.at(-1)?.event === 'end');
    rest.close();
    expect(ids(rest.seen)).toEqual(ids(all.seen).filter((id) => id > 1));
  });

  it('for callers who know only the id shows the progress and the output, not the input', async () => {
    const id = await createWorkflow(owner, [
      { id: 'take', type: 'set', config: { private: '{{ trigger.body.private }}' } },
      { id: 'give', type: 'set', config: { public: 'yes' } },
    ]);
    const { execution_id: run } = await new Api(installation.url).call<{ execution_id: string }>(
      'POST',
      `/webhooks/${id}`,
      { private: 'a-private-word' },
    );
    const stream = follow(`/public/executions/${run}/stream`);
    await until('the end is sent', () => stream.seen.at(-1)?.event === 'end');
    stream.close();
    expect(steps(stream.seen)).toContain('take completed');
    expect(stream.seen.at(-1)?.data.output).toEqual({ public: 'yes' });
    expect(JSON.stringify(stream.seen)).not.toContain('a-private-word');
  });

  it('is open to two hundred clients at once, who all see the end', async () => {
    const id = await createWorkflow(owner, [{ id: 'pause', type: 'wait_for_signal', config: { signal: 'go' } }]);
    const run = await trigger(owner, id);
    await waitingFor(owner, run, 'signal');
    const streams = Array.from({ length: 200 }, () => follow(`/public/executions/${run}/stream`));
    try {
      await until('all are open', () => streams.every(({ source }) => source.readyState === EventSource.OPEN));
      await owner.call('POST', `/api/v1/executions/${run}/signal`, { signal: 'go', data: {} });
      await until('all see the end', () => streams.every(({ seen }) => seen.at(-1)?.event === 'end'));
      for (const { seen } of streams) expect(ids(seen)).toEqual(counted(seen));
    } finally {
      for (const { close } of streams) close();
    }
  });
});
