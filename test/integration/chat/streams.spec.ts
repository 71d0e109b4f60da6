import { Errors } from 'moleculer';
import type { JsonObject } from '../../../lib/json';
import { until } from '../../support/until';
import { askStep, openSite, pen, type ReplyStream, shownBy, type Site } from './site';

let site: Site;

beforeAll(async () => {
  site = await openSite();
}, 60_000);
afterAll(() => site.close());

const kinds = ({ events }: ReplyStream): string[] => events.map(({ event }) => event);
const reply = ({ events }: ReplyStream): JsonObject | undefined => events.find(({ event }) => event === 'reply')?.data;
const asking = async (config: JsonObject = {}, rest: JsonObject = {}): Promise<string> =>
  site.deploy(await site.workflow([askStep(config)], rest));

describe('a reply as it is made', () => {
  test('comes in pieces while the model still writes, and at last whole, as without a stream', async () => {
    const slug = await asking();
    const { pieces, write, close } = pen();
    site.script = () => ({ kind: 'pieces', pieces });
    const stream = site.stream(slug, { message: 'Tell me' });
    write('Once upon ');
    const open = await stream;
    expect([open.status, open.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    await until('the first words are there', () => shownBy(open.events) === 'Once upon ');
    write('a time');
    await until('the rest is there', () => shownBy(open.events) === 'Once upon a time');
    expect(reply(open)).toBeUndefined();
    close();
    await open.ended;
    expect(kinds(open).at(-1)).toBe('reply');
    expect(reply(open)).toEqual({
      reply: 'Once upon a time',
      text: 'Once upon a time',
      conversation_id: expect.any(String),
      execution_id: expect.any(String),
    });
    const run = await site.api(`GET /api/v1/executions/${String(reply(open)?.execution_id)}`);
    expect(run.body).toMatchObject({ output: { text: 'Once upon a time', input_tokens: 100, output_tokens: 10 } });
  });

  test('comes from the last step alone, also where that stands in a branch', async () => {
    const branch = {
      id: 'way',
      type: 'branch',
      cases: [{ when: '{{ true }}', steps: [{ ...askStep(), id: 'inner' }] }],
    };
    const slug = await site.deploy(
      await site.workflow([{ ...askStep(), id: 'before' }, branch], { output: { text: '{{ steps.inner.text }}' } }),
    );
    site.script = (_seen, n) => ({ kind: 'text', text: n % 2 === 0 ? 'not this one' : 'this one' });
    (site.models.seen as unknown[]).length = 0;
    const open = await site.stream(slug, { message: 'x' });
    await open.ended;
    expect(site.models.seen.map(({ body }) => body.stream ?? false)).toEqual([false, true]);
    expect([shownBy(open.events), reply(open)?.reply]).toEqual(['this one', 'this one']);
  });

  test('shows nothing of a last step whose text is not in the output, as it is not in the reply', async () => {
    const judge = { ...askStep(), id: 'judge' };
    const slug = await site.deploy(
      await site.workflow([askStep(), judge], { output: { text: '{{ steps.answer.text }}' } }),
    );
    site.script = (_seen, n) => ({ kind: 'text', text: n % 2 === 0 ? 'Hello.' : 'A rude visitor.' });
    (site.models.seen as unknown[]).length = 0;
    const open = await site.stream(slug, { message: 'x' });
    const all = await open.ended;
    expect(reply(open)?.reply).toBe('Hello.');
    expect(all).not.toContain('rude');
  });

  test('of an agent shows the answer, and withdraws the text before a tool call', async () => {
    const config = {
      provider: 'openai-compatible',
      prompt: '{{ trigger.message }}',
      tools: [{ type: 'json', name: 'look' }],
    };
    const slug = await site.deploy(await site.workflow([{ id: 'agent', type: 'agent', config }]));
    site.script = ({ answersBefore }) =>
      answersBefore === 0
        ? { kind: 'tools', text: 'Let me look.', calls: [{ name: 'look', input: { operation: 'parse', value: '1' } }] }
        : { kind: 'text', text: 'It is one.' };
    const open = await site.stream(slug, { message: 'x' });
    await open.ended;
    expect(kinds(open)).toContain('reset');
    expect([shownBy(open.events), reply(open)?.reply]).toEqual(['It is one.', 'It is one.']);
  });

  test('starts over when the provider breaks off and the step is tried again', async () => {
    const slug = await site.deploy(
      await site.workflow([{ ...askStep(), retry: { max_attempts: 2, initial_interval: '10ms' } }]),
    );
    let attempts = 0;
    site.script = () =>
      attempts++ === 0 ? { kind: 'pieces', pieces: ['Half of '], breaks: true } : { kind: 'text', text: 'All of it.' };
    const open = await site.stream(slug, { message: 'x' });
    await open.ended;
    expect([shownBy(open.events), reply(open)?.reply]).toEqual(['All of it.', 'All of it.']);
  });

  test('shows no secret, though the model says it in pieces', async () => {
    await site.api('POST /api/v1/secrets', { name: 'TOKEN', value: 'sk-live-0123456789' });
    const slug = await asking({ system: 'The token is {{ secret.TOKEN }}' });
    site.script = () => ({ kind: 'pieces', pieces: ['It is sk-', 'live-01', '234567', '89, I think'] });
    const open = await site.stream(slug, { message: 'Which token?' });
    const all = await open.ended;
    expect(shownBy(open.events)).toBe('It is ***, I think');
    expect(reply(open)?.reply).toBe('It is ***, I think');
    for (const part of ['sk-', 'live', '0123', '6789']) expect(all).not.toContain(part);
  });

  test('costs nothing without a subscriber: the model is asked for a whole answer', async () => {
    const slug = await asking();
    site.script = () => ({ kind: 'text', text: 'Whole.' });
    (site.models.seen as unknown[]).length = 0;
    expect((await site.say(slug, { message: 'x' })).body.reply).toBe('Whole.');
    expect(site.models.seen.map(({ body }) => body.stream ?? false)).toEqual([false]);
  });

  test('comes whole when nothing streams', async () => {
    const slug = await site.deploy(await site.workflow([{ id: 'set', type: 'set', config: { text: 'quick' } }]));
    const open = await site.stream(slug, { message: 'x' });
    await open.ended;
    expect([kinds(open), reply(open)?.reply]).toEqual([['reply'], 'quick']);
  });

  test('of a model that says HTML is text in JSON, and no page', async () => {
    const slug = await asking();
    const html = '<script>alert(1)</script>\n\ndata: {"reply":"forged"}\n\nevent: reply';
    site.script = () => ({ kind: 'text', text: html });
    const open = await site.stream(slug, { message: 'x' });
    await open.ended;
    expect([shownBy(open.events), reply(open)?.reply]).toEqual([html, html]);
    expect(kinds(open).filter((kind) => kind === 'reply')).toHaveLength(1);
    const { headers, body } = await site.say(slug, { message: 'x' });
    expect([headers.get('content-type'), headers.get('x-content-type-options'), body.reply]).toEqual([
      'application/json; charset=utf-8',
      'nosniff',
      html,
    ]);
  });

  test('that is not to be had is a status while nothing is sent, and an event afterwards', async () => {
    const nothing = await site.stream('no-such-chat', { message: 'x' });
    expect([nothing.status, JSON.parse(await nothing.ended)]).toMatchObject([404, { code: 'not_found' }]);
    const slug = await asking();
    const { pieces, write, close } = pen();
    site.script = () => ({ kind: 'pieces', pieces, breaks: true });
    const stream = site.stream(slug, { message: 'x' });
    write('Half');
    const open = await stream;
    await until('something is there', () => open.events.length > 0);
    close();
    await open.ended;
    expect(open.events.at(-1)).toMatchObject({ event: 'error', data: { code: 'execution_failed' } });
    expect(open.events.at(-1)?.data).toHaveProperty('conversation_id');
  });

  test('is waited for also where the word of it was lost on its way to the gateway', async () => {
    const slug = await asking();
    site.script = () => ({ kind: 'text', text: 'Hello there.' });
    const { broker } = site.t;
    const call = broker.call.bind(broker) as (...given: unknown[]) => Promise<unknown>;
    let lost = 0;
    const losing = jest
      .spyOn(broker, 'call')
      .mockImplementation(((action: string, ...rest: unknown[]) =>
        action === 'channels.chat' && lost++ === 0
          ? call(action, ...rest).then(() =>
              Promise.reject(new Errors.RequestTimeoutError({ action, nodeID: 'other' })),
            )
          : call(action, ...rest)) as never);
    const open = await site.stream(slug, { message: 'x' });
    await open.ended;
    losing.mockRestore();
    expect([lost, reply(open)?.reply]).toEqual([2, 'Hello there.']);
  });

  test('goes on without a visitor who has left, and the conversation has it', async () => {
    const slug = await asking();
    site.script = () => ({ kind: 'text', text: 'First.' });
    const { conversation_id } = (await site.say(slug, { message: 'one' })).body as Record<string, string>;
    const { pieces, write, close } = pen();
    site.script = () => ({ kind: 'pieces', pieces });
    const stream = site.stream(slug, { message: 'two', conversation_id: conversation_id as string });
    write('Second.');
    const open = await stream;
    await until('something is there', () => open.events.length > 0);
    open.leave();
    close();
    const turns = async () =>
      (await site.t.app.db.collection('chat_conversations').findOne({ _id: conversation_id as never }))?.turns;
    await until('the reply is remembered', async () => ((await turns()) as unknown[]).length === 2);
    expect(await turns()).toMatchObject([{ reply: 'First.' }, { said: 'two', reply: 'Second.' }]);
  });
});

describe('the stream of a run', () => {
  test('has the text as it comes for those who ask for it, without ids, and its records as ever', async () => {
    const wait = { id: 'wait', type: 'wait_for_signal', config: { signal: 'go' } };
    const id = await site.workflow([wait, askStep({ prompt: 'x' })], { trigger: { type: 'manual' } });
    site.script = () => ({ kind: 'text', text: 'One two three' });
    const run = String((await site.api(`POST /api/v1/workflows/${id}/trigger`, {})).body.id);
    const open = async (query: string): Promise<Response> => {
      const headers = { authorization: `Bearer ${site.owner.token}` };
      return fetch(`${site.t.url}/api/v1/executions/${run}/stream${query}`, { headers });
    };
    const streams = await Promise.all([open(''), open('?deltas=1')]);
    await site.api(`POST /api/v1/executions/${run}/signal`, { signal: 'go' });
    const [plain, deltas] = (await Promise.all(streams.map((stream) => stream.text()))) as [string, string];
    const ids = (text: string): string[] => [...text.matchAll(/^id: .*$/gm)].map(([line]) => line);
    const texts = [...deltas.matchAll(/\n\nevent: delta\ndata: (.*)$/gm)].map(
      ([, data]) => JSON.parse(String(data)).text,
    );
    expect(texts.join('')).toBe('One two three');
    expect(ids(deltas)).toEqual(ids(plain));
    expect(plain).not.toContain('delta');
  });
});
