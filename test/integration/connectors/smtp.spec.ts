import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { connectorsByName } from '../../../nodes/connectors';
import type { Connector } from '../../../nodes/connectors/contract';
import { type Actor, done, failed } from '../../support/connectors/act';

let server: SMTPServer;
let ada: Actor;
const received: { from: string; text: string }[] = [];

beforeAll(async () => {
  server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, answer) =>
      username === 'ada' && password === 'sesame'
        ? answer(null, { user: username })
        : answer(new Error('535 Authentication failed')),
    onData(stream, { envelope }, answer) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        received.push({ from, text: Buffer.concat(chunks).toString() });
        answer();
      });
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  ada = {
    connector: connectorsByName.get('smtp') as Connector,
    credentials: {
      host: 'mail.test',
      port: String(port),
      security: 'none',
      user: 'ada',
      password: 'sesame',
      from: 'Ada <ada@example.com>',
    },
  };
});
afterAll(() => new Promise<void>((resolve) => server.close(resolve)));

test('a mail goes through the server of the connection, with the sender of the input', async () => {
  const sent = await done(ada, 'send', { to: 'grace@example.com', subject: 'Grüße', text: 'Hello' });
  expect(sent).toMatchObject({ accepted: ['grace@example.com'], rejected: [] });
  expect(received).toMatchObject([{ from: 'ada@example.com' }]);
  expect(received[0]?.text).toContain('=?UTF-8?');
});

test('a line break in the subject is refused, and nothing is sent', async () => {
  const input = { to: 'grace@example.com', subject: 'Hi\r\nBcc: eve@example.com', text: 'x' };
  expect(await failed(ada, 'send', input)).toMatchObject({ code: 'invalid_config' });
});

test('a wrong password is reported, and not shown', async () => {
  const wrong = { ...ada, credentials: { ...ada.credentials, password: 'open-sesame' } };
  const failure = await failed(wrong, 'send', { to: 'grace@example.com', subject: 'x', text: 'x' });
  expect(failure).toMatchObject({ code: 'smtp_login', retryable: false });
  expect(failure.message).not.toContain('open-sesame');
});
