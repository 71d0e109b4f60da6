import { openReply, pen, type ReplyStream, shownBy } from '../integration/chat/site';
import { Cluster } from '../support/cluster';
import { describeWith } from '../support/daemons';
import { type LlmScript, type LlmServer, startLlmServer } from '../support/llm-server';
import { Api } from '../support/server';
import { until } from '../support/until';
import { MAX_WAIT_MS } from './support/eventually';

describeWith('nats', { own: true })('visitors of a cluster', () => {
  let models: LlmServer;
  let script: LlmScript;
  let cluster: Cluster;

  beforeAll(async () => {
    models = await startLlmServer((seen, n) => script(seen, n));
    const env = { LLM_OPENAI_COMPATIBLE_BASE_URL: models.baseUrl.openai, LLM_OPENAI_COMPATIBLE_MODEL: 'any' };
    cluster = (await Cluster.start({ executors: 2, gateways: 2, env })) as Cluster;
    const api = new Api(cluster.url);
    await api.register('chats');
    const messages = "{{ flatten([trigger.history, [{ role: 'user', content: trigger.message }]]) }}";
    const config = { provider: 'openai-compatible', messages };
    const dsl = { id: 'help', trigger: { type: 'chat' }, steps: [{ id: 'answer', type: 'llm', config }] };
    const { id } = await api.call<{ id: string }>('POST', '/api/v1/workflows', { name: 'help', dsl });
    await api.call('POST', `/api/v1/workflows/${id}/chat-deployments`, { slug: 'help', title: 'Help' });
  }, 180_000);

  afterAll(async () => {
    await cluster?.remove();
    await models?.close();
  });

  const last = ({ events }: ReplyStream) => events.at(-1);

  test(
    'read replies as they are made at any gateway, and go on with a conversation at another',
    async () => {
      const [one, other] = cluster.urls as [string, string];
      const { pieces, write, close } = pen();
      script = () => ({ kind: 'pieces', pieces });
      const stream = openReply(one, 'help', { message: 'one' });
      write('First ');
      const first = await stream;
      await until('the first word is there', () => shownBy(first.events) === 'First ', MAX_WAIT_MS);
      write('reply');
      close();
      await first.ended;
      expect([shownBy(first.events), last(first)?.data.reply]).toEqual(['First reply', 'First reply']);
      script = () => ({ kind: 'text', text: 'Second reply' });
      const conversation_id = String(last(first)?.data.conversation_id);
      const second = await openReply(other, 'help', { message: 'two', conversation_id });
      await second.ended;
      expect(last(second)?.data.reply).toBe('Second reply');
      expect(models.seen.at(-1)?.body.messages).toEqual([
        { role: 'user', content: 'one' },
        { role: 'assistant', content: 'First reply' },
        { role: 'user', content: 'two' },
      ]);
    },
    3 * MAX_WAIT_MS,
  );

  test(
    'have a whole reply when the host of their run is killed in the middle of it',
    async () => {
      const { pieces, write } = pen();
      let asked = 0;
      script = () => (asked++ === 0 ? { kind: 'pieces', pieces } : { kind: 'text', text: 'All of it.' });
      const stream = openReply(cluster.url, 'help', { message: 'now' });
      write('Half of ');
      const open = await stream;
      await until('the first words are there', () => shownBy(open.events) === 'Half of ', MAX_WAIT_MS);
      const run = await cluster.db.collection('executions').findOne({ status: 'running' });
      await (await cluster.hostOf(String(run?._id)))?.kill();
      await open.ended;
      expect(last(open)).toMatchObject({ event: 'reply', data: { reply: 'All of it.' } });
      expect(['All of it.', 'Half of ']).toContain(shownBy(open.events));
    },
    3 * MAX_WAIT_MS,
  );
});
