import type { Json, JsonObject } from '../../../lib/json';
import type { CaseAnswer } from '../../nodes/connectors/connector-case';
import { connectionsService } from '../../../services/connections/connections.service';
import { filesService } from '../../../services/files/files.service';
import { startApp, type TestApp } from '../../support/app';
import { type Provider, type SeenRequest, startProvider } from '../../support/connectors/provider';
import { type Ask, executor, frontServices, newTenant, run, workflowOf } from '../custom-nodes/house';

const FILE = { id: 'f1', name: 'orders.csv', mimeType: 'text/csv' };
const STORED = 'item,price\npen,2\n';

const respond = ({ url, method }: SeenRequest): CaseAnswer => {
  if (method === 'POST' && url.startsWith('/drive/upload/')) return { json: FILE };
  if (url.startsWith('/drive/drive/v3/about')) return { json: { user: {} } };
  if (url.startsWith('/drive/drive/v3/files/f1?alt=media'))
    return { headers: { 'content-type': 'text/csv' }, base64: Buffer.from(STORED).toString('base64') };
  if (url.endsWith('/profile')) return { json: { emailAddress: 'orders@shop.example' } };
  if (url.endsWith('/attachments/a1'))
    return { json: { size: 3, data: Buffer.from([255, 0, 1]).toString('base64url') } };
  if (url.endsWith('/messages/send')) return { json: { id: 'm1', threadId: 't1' } };
  return { status: 404, text: `nothing at ${url}` };
};

let t: TestApp;
let provider: Provider;
let ann: Ask;

beforeAll(async () => {
  provider = await startProvider(respond);
  t = await startApp({
    services: [...frontServices, executor, connectionsService, filesService],
    env: {
      EGRESS_ALLOW: '127.0.0.1',
      CONNECTOR_SUITE_DRIVE_URL: `${provider.url}/drive`,
      CONNECTOR_SUITE_MAIL_URL: `${provider.url}/mail`,
    },
  });
  ({ owner: ann } = await newTenant(t));
  for (const connector of ['suite-drive', 'suite-mail']) {
    const credentials = { access_token: 'ya29-wren-in-the-vault' };
    await ann('POST', '/api/v1/connections', { connector, credentials });
  }
});
afterAll(async () => {
  await t?.close();
  await provider?.close();
});

const outputs = async (steps: JsonObject[]): Promise<JsonObject[]> => {
  const execution = await run(ann, await workflowOf(ann, steps));
  const { body } = await ann('GET', `/api/v1/executions/${String(execution.id)}/detail`);
  return (body.steps as JsonObject[]).map(({ output, error }) => (output ?? error) as JsonObject);
};
const step = (id: string, type: string, config: Record<string, Json>): JsonObject => ({ id, type, config });

test('a file of the run goes up with its type, and one that comes down becomes a file of the run', async () => {
  const [, uploaded, downloaded, read] = await outputs([
    step('write', 'file_write', { path: 'out/orders.csv', content: STORED }),
    step('up', 'suite-drive.upload_file', { name: 'orders.csv', file: 'out/orders.csv' }),
    step('down', 'suite-drive.download_file', { file_id: '{{ steps.up.id }}', save_as: 'in/orders.csv' }),
    step('read', 'file_read', { path: '{{ steps.down.path }}' }),
  ]);
  expect(uploaded).toEqual(FILE);
  const upload = provider.seen.find(({ url }) => url.startsWith('/drive/upload/'))?.text ?? '';
  expect(upload).toContain('content-type: text/csv');
  expect(upload).toContain(`\r\n\r\n${STORED}\r\n--`);
  expect(downloaded).toMatchObject({ path: 'in/orders.csv', name: 'orders.csv', size: STORED.length });
  expect(downloaded).not.toHaveProperty('content');
  expect(read).toMatchObject({ content: STORED, content_type: 'text/csv' });
});

test('a mail takes files of the run with it, and an attachment becomes one', async () => {
  const [saved, sent] = await outputs([
    step('save', 'suite-mail.get_attachment', { message_id: 'm1', attachment_id: 'a1', save_as: 'in/label.pdf' }),
    step('send', 'suite-mail.send', {
      to: ['ada@example.com'],
      subject: 'Label',
      text: 'Here it is.',
      attachments: [{ filename: 'label.pdf', file: '{{ steps.save.path }}' }],
    }),
  ]);
  expect(saved).toMatchObject({ path: 'in/label.pdf', size: 3, content_type: 'application/pdf' });
  expect(sent).toMatchObject({ id: 'm1' });
  const { raw } = JSON.parse(provider.seen.at(-1)?.text ?? '{}') as { raw: string };
  const mail = Buffer.from(raw, 'base64url').toString();
  expect(mail).toContain('Content-Type: application/pdf; name=label.pdf');
  expect(mail).toContain(Buffer.from([255, 0, 1]).toString('base64'));
});

test.each([
  [{ file: 'missing.csv' }, 'file_not_found'],
  [{ file: '../other/orders.csv' }, 'invalid_config'],
  [{ file: 'a.csv', content: 'b' }, 'invalid_config'],
  [{}, 'invalid_config'],
])('a file of %j goes nowhere: %s', async (given, code) => {
  const before = provider.seen.length;
  const [refused] = await outputs([step('up', 'suite-drive.upload_file', { name: 'x.csv', ...given })]);
  expect(refused).toMatchObject({ code });
  expect(provider.seen).toHaveLength(before);
});

test('a file is not saved outside of the workspace', async () => {
  const [refused] = await outputs([
    step('down', 'suite-drive.download_file', { file_id: 'f1', save_as: '../../etc/orders.csv' }),
  ]);
  expect(refused).toMatchObject({
    code: 'invalid_config',
    message: expect.stringContaining('"save_as" is invalid'),
  });
});
