import type { JsonObject } from '../../lib/json';
import { openReply, pen, shownBy } from '../integration/chat/site';
import { type LlmScript, type LlmServer, startLlmServer } from '../support/llm-server';
import { Api } from '../support/server';
import { until } from '../support/until';
import { Installation } from './support/installation';

let models: LlmServer;
let script: LlmScript = () => ({ kind: 'text', text: 'Hello.' });
let house: Installation;
let owner: Api;

beforeAll(async () => {
  models = await startLlmServer((seen, n) => script(seen, n));
  house = await Installation.make();
  await house.start();
  owner = new Api(house.url);
  await owner.register('chats');
}, 120_000);

afterAll(async () => {
  await house?.remove();
  await models?.close();
});

/** A chat with a model of this provider; the model receives the conversation. */
async function deploy(slug: string, provider: 'openai' | 'anthropic'): Promise<void> {
  const config: JsonObject = {
    provider,
    model: 'test-model',
    api_key: 'key',
    base_url: models.baseUrl[provider],
    messages: "{{ flatten([trigger.history, [{ role: 'user', content: trigger.message }]]) }}",
  };
  const dsl = { id: 'help', trigger: { type: 'chat' }, steps: [{ id: 'answer', type: 'llm', config }] };
  const { id } = await owner.call<{ id: string }>('POST', '/api/v1/workflows', { name: slug, dsl });
  await owner.call('POST', `/api/v1/workflows/${id}/chat-deployments`, { slug, title: 'Help' });
}

test.each(['openai', 'anthropic'] as const)(
  'a visitor reads the reply of a model of %s as it is made',
  async (provider) => {
    await deploy(`help-${provider}`, provider);
    const { pieces, write, close } = pen();
    script = () => ({ kind: 'pieces', pieces });
    const stream = openReply(house.url, `help-${provider}`, { message: 'Tell me' });
    write('Once ');
    const open = await stream;
    await until('the first word is there', () => shownBy(open.events) === 'Once ');
    write('upon a time');
    close();
    await open.ended;
    const reply = open.events.at(-1);
    expect([shownBy(open.events), reply?.event, reply?.data.reply]).toEqual([
      'Once upon a time',
      'reply',
      'Once upon a time',
    ]);
  },
  60_000,
);

test('a server that is killed in the middle of a reply finishes it, and the conversation goes on behind it', async () => {
  await deploy('help-killed', 'openai');
  script = () => ({ kind: 'text', text: 'First.' });
  const first = await openReply(house.url, 'help-killed', { message: 'one' });
  await first.ended;
  const conversation_id = String(first.events.at(-1)?.data.conversation_id);
  const { pieces, write } = pen();
  script = () => ({ kind: 'pieces', pieces });
  const cut = openReply(house.url, 'help-killed', { message: 'two', conversation_id });
  write('Half of ');
  const open = await cut;
  await until('the first words are there', () => shownBy(open.events) === 'Half of ');
  await house.server.kill();
  script = ({ answersBefore }) => ({ kind: 'text', text: answersBefore === 1 ? 'Second.' : 'Third.' });
  await house.start();
  const third = await openReply(house.url, 'help-killed', { message: 'three', conversation_id });
  await third.ended;
  expect(third.events.at(-1)?.data.reply).toBe('Third.');
  expect(models.seen.at(-1)?.body.messages).toEqual([
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'First.' },
    { role: 'user', content: 'two' },
    { role: 'assistant', content: 'Second.' },
    { role: 'user', content: 'three' },
  ]);
}, 60_000);
