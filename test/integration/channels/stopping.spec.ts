import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { channelsService } from '../../../services/channels/channels.service';
import { secretsService } from '../../../services/secrets/secrets.service';
import { workflowsService } from '../../../services/workflows/workflows.service';
import { type Actor, openTestDatabase, startApp, type TestApp, type TestDatabase } from '../../support/app';
import { until } from '../../support/until';
import { document, FakeAuth, FakeExecutor } from '../workflows/fakes';

const actor: Actor = { tenant_id: 'tenant', role: 'owner' };
let database: TestDatabase;
const executor = new FakeExecutor();

beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database?.close());

const host = (nodeId: string, transporter: string, services: 'all' | 'gateway' | 'rest'): Promise<TestApp> => {
  const rest = [new FakeAuth().service, executor.service, secretsService, workflowsService, channelsService];
  return startApp({
    database,
    nodeId,
    ...(transporter === '' ? {} : { transporter, namespace: transporter }),
    services: [...(services === 'gateway' ? [] : rest), ...(services === 'rest' ? [] : [apiGatewayService])],
  });
};

const webhook = async (app: TestApp): Promise<string> =>
  (await app.call('workflows.create', { name: 'Hook', dsl: document() }, actor)).id;

const send = (app: TestApp, id: string) => fetch(`${app.url}/webhooks/${id}`, { method: 'POST', body: 'x' });

test('a stopping process writes every delivery that it has answered', async () => {
  const first = await host('first', '', 'all');
  const id = await webhook(first);
  const answers = await Promise.all(Array.from({ length: 20 }, () => send(first, id)));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
  await first.close();
  const second = await host('second', '', 'rest');
  try {
    expect((await second.call('channels.deliveries', { id }, actor)).data).toHaveLength(20);
  } finally {
    await second.close();
  }
});

test('notes of a gateway of its own reach the inbox on another host, bodies and bytes as well', async () => {
  const back = await host('back', 'Fake', 'rest');
  const front = await host('front', 'Fake', 'gateway');
  try {
    const raw = { ...document(), trigger: { type: 'http', config: { raw: true } } };
    const { id } = await back.call('workflows.create', { name: 'Raw', dsl: raw }, actor);
    executor.runs.clear();
    const body = Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d]);
    const answer = await fetch(`${front.url}/webhooks/${id}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'text/plain' },
    });
    expect(answer.status).toBe(202);
    expect(executor.only.params.trigger).toMatchObject({ raw_body: '\ufeff{}', raw_encoding: 'utf8' });
    const [row] = await until('the note has come', async () => {
      const { data } = await back.call('channels.deliveries', { id }, actor);
      return data.length > 0 ? data : null;
    });
    const detail = await back.call('channels.delivery', { id, delivery_id: row?.id ?? '' }, actor);
    expect(Buffer.from(detail.body, 'base64').equals(body)).toBe(true);
  } finally {
    await front.close();
    await back.close();
  }
});
