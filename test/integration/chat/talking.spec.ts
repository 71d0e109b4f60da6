import type { JsonObject } from '../../../lib/json';
import { until } from '../../support/until';
import { askStep, openSite, type Site } from './site';

let site: Site;

beforeAll(async () => {
  site = await openSite();
}, 60_000);
afterAll(() => site.close());
beforeEach(() => {
  site.script = () => ({ kind: 'text', text: 'Hello there.' });
});

const echo = (config: JsonObject): JsonObject => ({ id: 'echo', type: 'set', config });
const NOTHING = { text: 'You wrote {{ trigger.message }}' };
const echoing = async (fields: JsonObject = {}, config: JsonObject = NOTHING): Promise<string> =>
  site.deploy(await site.workflow([echo(config)]), fields);

describe('a chat', () => {
  test('tells what it is called and how to talk to it, and nothing else', async () => {
    const slug = await echoing({
      title: 'Help',
      greeting: 'Hi!',
      input_field: 'question',
      output_field: 'answer.text',
    });
    const { status, body } = await fetchJson(`/public/chat/${slug}`);
    expect([status, body]).toEqual([
      200,
      { title: 'Help', greeting: 'Hi!', input_field: 'question', output_field: 'answer.text' },
    ]);
  });

  test('runs the workflow with the message, and replies with the value of its output field', async () => {
    const id = await site.workflow([echo({ answer: { text: 'You wrote {{ trigger.message }}, {{ trigger.page }}' } })]);
    const slug = await site.deploy(id, { input_field: 'question', output_field: 'answer.text' });
    const { status, body } = await site.say(slug, { question: 'Are you there?', page: '/home' });
    expect([status, body]).toEqual([
      200,
      {
        reply: 'You wrote Are you there?, /home',
        'answer.text': 'You wrote Are you there?, /home',
        conversation_id: expect.any(String),
        execution_id: expect.any(String),
      },
    ]);
    const run = await site.api(`GET /api/v1/executions/${String(body.execution_id)}`);
    expect(run.body).toMatchObject({
      trigger_type: 'chat',
      workflow_def_id: id,
      trigger: {
        question: 'Are you there?',
        page: '/home',
        message: 'Are you there?',
        body: { question: 'Are you there?', page: '/home' },
        conversation_id: body.conversation_id,
        history: [],
      },
      input: { question: 'Are you there?', page: '/home' },
    });
  });

  test('remembers the messages of a conversation, and only there', async () => {
    const slug = await echoing({}, { text: '{{ json(trigger.history) }}' });
    const first = await site.say(slug, { message: 'one' });
    const conversation_id = String(first.body.conversation_id);
    const second = await site.say(slug, { message: 'two', conversation_id });
    expect(second.body.conversation_id).toBe(conversation_id);
    expect(JSON.parse(String(second.body.reply))).toEqual([
      { role: 'user', content: 'one' },
      { role: 'assistant', content: '[]' },
    ]);
    const third = await site.say(slug, { message: 'three', conversation_id });
    expect(JSON.parse(String(third.body.reply))).toHaveLength(4);
    expect((await site.say(slug, { message: 'four' })).body.reply).toBe('[]');
  });

  test('hands the conversation to a model in the form that models take', async () => {
    const messages = "{{ flatten([trigger.history, [{ role: 'user', content: trigger.message }]]) }}";
    const { prompt: _, ...config } = (askStep().config ?? {}) as JsonObject;
    const slug = await site.deploy(await site.workflow([{ ...askStep(), config: { ...config, messages } }]));
    const { conversation_id } = (await site.say(slug, { message: 'one' })).body;
    const { body } = await site.say(slug, { message: 'two', conversation_id: String(conversation_id) });
    expect(body.reply).toBe('Hello there.');
    expect(site.models.seen.at(-1)?.body.messages).toEqual([
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'Hello there.' },
      { role: 'user', content: 'two' },
    ]);
  });

  test('takes the messages of a conversation one after the other, each with the replies before it', async () => {
    const slug = await echoing({}, { text: '{{ length(trigger.history) }}' });
    const { conversation_id } = (await site.say(slug, { message: 'first' })).body;
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, n) =>
        site.say(slug, { message: `n${n}`, conversation_id: String(conversation_id) }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(answers.map(({ body }) => Number(body.reply)).sort((a, b) => a - b)).toEqual([2, 4, 6, 8, 10]);
  });

  test('replies with any JSON value of that field', async () => {
    const slug = await echoing({ output_field: 'parts[-1]' }, { parts: [{ a: 1 }, { text: 'x' }] });
    expect((await site.say(slug, { message: 'go' })).body).toMatchObject({
      reply: { text: 'x' },
      'parts[-1]': { text: 'x' },
    });
  });
});

describe('a message', () => {
  test.each<[string, JsonObject, string]>([
    ['without the input field', { text: 'x' }, "The 'message' is missing"],
    ['that is no text', { message: 7 }, "The 'message' must be a string"],
    ['that says nothing', { message: '  ' }, "The 'message' must not be empty"],
    [
      'with a conversation that is no text',
      { message: 'x', conversation_id: 7 },
      "The 'conversation_id' must be a string",
    ],
  ])('%s is refused', async (_title, body, error) => {
    expect(await site.say(await echoing(), body)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', error },
    });
  });

  test('that is far too long is refused, as a text and as a body', async () => {
    const slug = await echoing();
    for (const length of [16_001, 1_000_000])
      expect(await site.say(slug, { message: 'x'.repeat(length) })).toMatchObject({
        status: 413,
        body: { code: 'payload_too_large' },
      });
  });

  test('of a conversation that there is not, or that belongs to another chat, finds nothing', async () => {
    const [slug, other] = [await echoing(), await echoing()];
    const { conversation_id } = (await site.say(other, { message: 'x' })).body;
    for (const id of ['nothing', '00000000-0000-4000-8000-000000000000', String(conversation_id)])
      expect((await site.say(slug, { message: 'x', conversation_id: id })).status).toBe(404);
  });

  test('to a workflow that is disabled is refused, and leaves nothing behind', async () => {
    const id = await site.workflow([echo(NOTHING)]);
    const slug = await site.deploy(id);
    const { conversation_id } = (await site.say(slug, { message: 'x' })).body;
    await site.api(`PUT /api/v1/workflows/${id}/disable`);
    const message = { message: 'x', conversation_id: String(conversation_id) };
    expect(await site.say(slug, message)).toMatchObject({ status: 409, body: { code: 'workflow_disabled' } });
    await site.api(`PUT /api/v1/workflows/${id}/enable`);
    expect((await site.say(slug, message)).status).toBe(200);
  });

  test('to a workflow whose secret does not exist is not answered, and its name is not shown', async () => {
    const slug = await echoing({}, { text: '{{ secret.KEY_OF_THE_BANK }}' });
    const { status, body } = await site.say(slug, { message: 'x' });
    expect([status, body.code]).toEqual([503, 'unavailable']);
    expect(JSON.stringify(body)).not.toContain('BANK');
  });

  test('that the workflow does not take is refused, and the conversation goes on', async () => {
    const inputs = { type: 'object', properties: { message: { type: 'string', maxLength: 3 } } };
    const slug = await site.deploy(await site.workflow([echo(NOTHING)], { inputs }));
    const { conversation_id } = (await site.say(slug, { message: 'one' })).body;
    const say = (message: string) => site.say(slug, { message, conversation_id: String(conversation_id) });
    expect(await say('much more')).toMatchObject({ status: 400, body: { code: 'invalid_input' } });
    expect((await say('two')).status).toBe(200);
  });

  test('whose run fails is answered with a public error, and is not remembered', async () => {
    const steps = [
      { id: 'bad', type: 'fail', config: { message: 'No luck' }, if: "{{ trigger.message == 'fail' }}" },
      echo({ text: '{{ length(trigger.history) }}' }),
    ];
    const slug = await site.deploy(await site.workflow(steps));
    const { conversation_id } = (await site.say(slug, { message: 'one' })).body;
    const say = (message: string) => site.say(slug, { message, conversation_id: String(conversation_id) });
    expect(await say('fail')).toEqual({
      status: 500,
      headers: expect.anything(),
      body: {
        error: 'The run failed',
        code: 'execution_failed',
        conversation_id,
        execution_id: expect.any(String),
        request_id: expect.any(String),
      },
    });
    expect((await say('two')).body.reply).toBe(2);
  });

  test('whose run has nothing at the output field gets an error', async () => {
    const slug = await echoing({ output_field: 'answer' });
    expect(await site.say(slug, { message: 'x' })).toMatchObject({
      status: 500,
      body: { code: 'execution_failed', error: expect.stringContaining('answer') },
    });
  });

  test('that comes again with its Idempotency-Key starts nothing more, and is answered as before', async () => {
    const slug = await echoing();
    const send = (message: string, conversation?: string, key = 'k') =>
      site.say(
        slug,
        { message, ...(conversation === undefined ? {} : { conversation_id: conversation }) },
        { 'idempotency-key': key },
      );
    const [first, again] = [await send('hi'), await send('hi')];
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await send('other')).toMatchObject({ status: 409, body: { code: 'idempotency_mismatch' } });
    const id = String(first.body.conversation_id);
    const next = await Promise.all([send('more', id), send('more', id), send('more', id)]);
    expect(new Set(next.map(({ body }) => body.execution_id)).size).toBe(1);
    expect(next[0]?.body.execution_id).not.toBe(first.body.execution_id);
    expect((await send('after', id, 'k2')).status).toBe(200);
  });
});

describe('a run that takes longer than a request', () => {
  let slow: Site;
  beforeAll(async () => {
    slow = await openSite({ REQUEST_TIMEOUT: '4' });
  }, 60_000);
  afterAll(() => slow.close());

  test('is answered with its ids; a later message waits its turn, and the reply is remembered', async () => {
    const steps = [
      { id: 'ask', type: 'approval', config: { message: 'Well?' }, if: "{{ trigger.message == 'slow' }}" },
      echo({ text: '{{ json(trigger.history) }}' }),
    ];
    const slug = await slow.deploy(await slow.workflow(steps));
    const late = await slow.say(slug, { message: 'slow' });
    expect(late).toMatchObject({ status: 504, body: { code: 'timed_out' } });
    const { conversation_id, execution_id } = late.body as Record<string, string>;
    const next = { message: 'next', conversation_id: conversation_id as string };
    expect(await slow.say(slug, next)).toMatchObject({ status: 409, body: { code: 'conflict', execution_id } });
    const waiting = slow.say(slug, next);
    await slow.api(`POST /api/v1/executions/${execution_id}/signal`, {
      signal: 'approve-ask',
      data: { approved: true },
    });
    const { status, body } = await waiting;
    expect(status).toBe(200);
    expect(JSON.parse(String(body.reply))).toEqual([
      { role: 'user', content: 'slow' },
      { role: 'assistant', content: '[]' },
    ]);
  });
});

describe('a message whose Idempotency-Key comes again with another one', () => {
  let slow: Site;
  beforeAll(async () => {
    slow = await openSite({ REQUEST_TIMEOUT: '4' });
  }, 60_000);
  afterAll(() => slow.close());

  test('keeps its turn, and its reply is remembered', async () => {
    const steps = [
      { id: 'ask', type: 'approval', config: { message: 'Well?' }, if: "{{ trigger.message == 'slow' }}" },
      echo({ text: '{{ json(trigger.history) }}' }),
    ];
    const slug = await slow.deploy(await slow.workflow(steps));
    const key = { 'idempotency-key': 'k' };
    const conversation_id = String((await slow.say(slug, { message: 'hello' })).body.conversation_id);
    const late = await slow.say(slug, { message: 'slow', conversation_id }, key);
    expect(late.status).toBe(504);
    const other = await slow.say(slug, { message: 'other', conversation_id }, key);
    expect(other).toMatchObject({ status: 409, body: { code: 'idempotency_mismatch' } });
    const waiting = slow.say(slug, { message: 'next', conversation_id });
    await slow.api(`POST /api/v1/executions/${String(late.body.execution_id)}/signal`, {
      signal: 'approve-ask',
      data: { approved: true },
    });
    const { status, body } = await waiting;
    expect(status).toBe(200);
    expect((JSON.parse(String(body.reply)) as JsonObject[]).map(({ content }) => content)).toContain('slow');
  });
});

describe('a message whose server died before it started a run', () => {
  /** Leaves a turn to a message that will never be answered. */
  const leave = (conversation: string, since: number) =>
    site.t.app.db.collection('chat_conversations').updateOne(
      { _id: conversation as never },
      {
        $set: {
          pending: { said: 'lost', execution_id: '00000000-0000-4000-8000-000000000000', since: new Date(since) },
        },
      },
    );

  test('holds up the next one for a while, and no longer', async () => {
    const slug = await echoing({}, { text: '{{ length(trigger.history) }}' });
    const conversation_id = String((await site.say(slug, { message: 'one' })).body.conversation_id);
    await leave(conversation_id, Date.now() - 14_000);
    const { status, body } = await site.say(slug, { message: 'two', conversation_id });
    expect([status, body.reply]).toEqual([200, 2]);
  });
});

describe('chats of a workflow', () => {
  test('are listed, and end', async () => {
    const id = await site.workflow([echo(NOTHING)]);
    const slug = await site.deploy(id, { allowed_origins: ['https://www.example.com'] });
    const path = `/api/v1/workflows/${id}/chat-deployments` as const;
    expect((await site.api(`GET ${path}`)).body.data).toEqual([
      {
        slug,
        workflow_id: id,
        title: 'Help',
        greeting: '',
        input_field: 'message',
        output_field: 'text',
        allowed_origins: ['https://www.example.com'],
        rate_limit: { per_minute: 6_000, burst: 1_000 },
        created_by: site.owner.user.id,
        created_at: expect.any(String),
      },
    ]);
    expect((await site.api(`DELETE ${path}/${slug}`)).status).toBe(204);
    expect((await site.api(`DELETE ${path}/${slug}`)).status).toBe(404);
    expect((await fetchJson(`/public/chat/${slug}`)).status).toBe(404);
    expect((await site.say(slug, { message: 'x' })).status).toBe(404);
  });

  test('have slugs that are one in the installation, also when two want the same at once', async () => {
    const id = await site.workflow([echo(NOTHING)]);
    const made = await Promise.all(
      [1, 2, 3].map(() =>
        site.api(`POST /api/v1/workflows/${id}/chat-deployments`, { slug: 'one-of-a-kind', title: 'x' }),
      ),
    );
    expect(made.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409]);
    expect(made.find(({ status }) => status === 409)?.body.code).toBe('slug_taken');
  });

  test.each<[string, JsonObject]>([
    ['a slug with capitals', { slug: 'Help' }],
    ['a slug of two characters', { slug: 'ab' }],
    ['a title of nothing', { title: ' ' }],
    ['an input field that is taken', { input_field: 'conversation_id' }],
    ['an input field that is no name', { input_field: 'a.b' }],
    ['an output field that is taken', { output_field: 'execution_id' }],
    ['an output field that is no path', { output_field: 'a..b' }],
    ['an origin with a path', { allowed_origins: ['https://example.com/x'] }],
    ['no pace at all', { rate_limit: { per_minute: 0 } }],
  ])('are refused with %s', async (_title, fields) => {
    const id = await site.workflow([echo(NOTHING)]);
    const asked = { slug: 'refused', title: 'x', ...fields };
    expect(await site.api(`POST /api/v1/workflows/${id}/chat-deployments`, asked)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    });
  });

  test('can be changed, also while visitors talk; what is not given stays', async () => {
    const id = await site.workflow([echo({ text: 'a', answer: 'b' })]);
    const slug = await site.deploy(id, { greeting: 'Hello' });
    const path = `/api/v1/workflows/${id}/chat-deployments/${slug}` as const;
    const first = await site.say(slug, { message: 'one' });
    expect(first.body.reply).toBe('a');
    const changed = await site.api(`PUT ${path}`, { title: 'New', output_field: 'answer', rate_limit: { burst: 5 } });
    expect(changed).toMatchObject({
      status: 200,
      body: {
        slug,
        title: 'New',
        greeting: 'Hello',
        output_field: 'answer',
        rate_limit: { per_minute: 6_000, burst: 5 },
      },
    });
    expect((await fetchJson(`/public/chat/${slug}`)).body).toMatchObject({ title: 'New', output_field: 'answer' });
    const { conversation_id } = first.body;
    const second = await site.say(slug, { message: 'two', conversation_id: String(conversation_id) });
    expect(second.body).toMatchObject({ reply: 'b', conversation_id });
    expect((await site.api(`PUT ${path}`, { output_field: 'execution_id' })).status).toBe(400);
    expect((await site.api(`PUT ${path}`, { title: '' })).status).toBe(400);
    expect((await site.api(`PUT ${path}x`, { title: 'x' })).status).toBe(404);
    const events = (await site.api('GET /api/v1/audit?limit=5')).body.data as JsonObject[];
    const updates = events.filter(
      ({ action, target }) => action === 'chat.update' && (target as JsonObject).name === slug,
    );
    expect(updates).toMatchObject([{ before: { title: 'Help' }, after: { title: 'New' } }]);
  });

  test('go with their workflow, and so do the conversations', async () => {
    const id = await site.workflow([echo(NOTHING)]);
    const slug = await site.deploy(id);
    await site.say(slug, { message: 'x' });
    const kept = () => site.t.app.db.collection('chat_conversations').countDocuments({ workflow_id: id });
    expect(await kept()).toBe(1);
    await site.api(`DELETE /api/v1/workflows/${id}`);
    expect((await fetchJson(`/public/chat/${slug}`)).status).toBe(404);
    await until('the conversations are gone', async () => (await kept()) === 0);
    const other = await site.workflow([echo(NOTHING)]);
    const again = await site.api(`POST /api/v1/workflows/${other}/chat-deployments`, { slug, title: 'x' });
    expect(again.status).toBe(201);
  });

  test('are on record, who has made and who has ended them', async () => {
    const id = await site.workflow([echo(NOTHING)]);
    const slug = await site.deploy(id);
    await site.api(`DELETE /api/v1/workflows/${id}/chat-deployments/${slug}`);
    const events = (await site.api('GET /api/v1/audit?limit=5')).body.data as JsonObject[];
    const ours = events.filter(({ target }) => (target as JsonObject).name === slug);
    expect(ours.map(({ action }) => action)).toEqual(['chat.delete', 'chat.create']);
  });
});

async function fetchJson(path: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(site.t.url + path);
  return { status: response.status, body: await response.json() };
}
