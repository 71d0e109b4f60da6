import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { createDialer, parseEgressAllow } from '../../../lib/egress';
import type { Json, JsonObject } from '../../../lib/json';
import type { PlatformMail } from '../../../nodes/contract';
import { emailSendNode } from '../../../nodes/messaging/email-send';
import { selfSigned } from '../../support/certificate';
import { attempt, failureOf, outputOf, type World } from './outside';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Received {
  readonly from: string;
  readonly to: string[];
  readonly text: string;
  readonly user?: string;
  readonly secure: boolean;
}

interface Mailbox {
  readonly port: number;
  readonly received: Received[];
}

const certificate = selfSigned('DNS:mail.test');
const CA = certificate?.cert ?? '';
// Where openssl is missing no certificate can be had; `selfSigned` says so.
const withTls = certificate === null ? test.skip : test;

/** A mail server that accepts everything from ada with the password sesame, unless the options differ. */
async function mailServer(options: SMTPServerOptions = {}): Promise<Mailbox> {
  const received: Received[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: options.secure || options.key ? [] : ['STARTTLS'],
    allowInsecureAuth: true,
    closeTimeout: 1,
    logger: false,
    onAuth: ({ username, password }, _session, answer) =>
      username === 'ada' && password === 'sesame'
        ? answer(null, { user: username })
        : answer(Object.assign(new Error(`no such login: ada with ${password}`), { responseCode: 535 })),
    onData(stream, session, answer) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          text: Buffer.concat(chunks).toString(),
          user: session.user,
          secure: session.secure,
        });
        answer(null, 'taken as 4711');
      });
    },
    ...(options.secure || options.key ? certificate : {}),
    ...options,
  });
  server.on('error', () => {});
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  closing.push(() => new Promise((resolve) => server.close(() => resolve(null))));
  return { port: (listening.address() as AddressInfo).port, received };
}

/** A server that sends these lines, one after each line that it receives, and then does `last`. */
async function scripted(lines: string[], last: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    const left = [...lines];
    const answer = (): void => {
      const line = left.shift();
      if (line === undefined) last(socket);
      else socket.write(`${line}\r\n`);
    };
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      for (const _line of chunk.toString().match(/^(?:EHLO|MAIL|RCPT|DATA|\.)/gm) ?? []) answer();
    });
    answer();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

const MAIL = { from: 'Orders <orders@shop.test>', to: 'ada@example.com', subject: 'Shipped', text: 'Your order.' };

const mail = (port: number, more: JsonObject = {}, connection: JsonObject = {}): JsonObject => ({
  ...MAIL,
  connection: { host: 'mail.test', port, security: 'none', ...connection },
  ...more,
});

const send = (input: JsonObject, world?: World) => outputOf(emailSendNode, input, world);
const fail = (input: JsonObject, world?: World) => failureOf(emailSendNode, input, world);

/** The value of a header, unfolded. */
const headerOf = (text: string, name: string): string | undefined =>
  new RegExp(`^${name}: (.*(?:\\r\\n[ \\t].*)*)`, 'im').exec(text)?.[1]?.replace(/\r\n[ \t]+/g, ' ');

describe('a message', () => {
  test('arrives, with the id that the step has in all its attempts', async () => {
    const { port, received } = await mailServer();
    const output = await send(mail(port), { idempotencyKey: 'step-key' });
    expect(output).toEqual({
      message_id: '<step-key@shop.test>',
      accepted: ['ada@example.com'],
      rejected: [],
      response: '250 taken as 4711',
    });
    await send(mail(port), { idempotencyKey: 'step-key' });
    expect(received.map(({ text }) => headerOf(text, 'message-id'))).toEqual(Array(2).fill('<step-key@shop.test>'));
    const [{ from, to, text }] = received as [Received];
    expect([from, to]).toEqual(['orders@shop.test', ['ada@example.com']]);
    expect(headerOf(text, 'from')).toBe('Orders <orders@shop.test>');
    expect(headerOf(text, 'date')).toBe('Tue, 01 Jan 2030 00:00:00 +0000');
    expect(text).toContain('\r\n\r\nYour order.');
  });

  test('goes to copies and blind copies, of which it does not tell', async () => {
    const { port, received } = await mailServer();
    const output = await send(
      mail(port, {
        to: ['Ada <ada@example.com>', 'grace@example.com, ada@example.com'],
        cc: 'cc@example.com',
        bcc: ['"Hidden, too" <bcc@example.com>'],
        reply_to: 'answers@shop.test',
      }),
    );
    const everybody = ['ada@example.com', 'grace@example.com', 'cc@example.com', 'bcc@example.com'];
    expect(output.accepted).toEqual(everybody);
    const [{ to, text }] = received as [Received];
    expect(to).toEqual(everybody);
    expect(headerOf(text, 'cc')).toBe('cc@example.com');
    expect(headerOf(text, 'reply-to')).toBe('answers@shop.test');
    expect(text).not.toMatch(/bcc|hidden/i);
  });

  test('has text, HTML, headers and attachments', async () => {
    const { port, received } = await mailServer();
    await send(
      mail(port, {
        subject: 'Grüße aus 東京',
        html: '<p>Your <b>order</b> <img src="cid:logo"></p>',
        headers: { 'X-Order': '4711', 'List-Unsubscribe': '<https://shop.test/bye>' },
        attachments: [
          { filename: 'order.csv', content: 'item,price' },
          { filename: 'logo.png', content_base64: 'iVBO\nRw==', content_type: 'image/png', cid: 'logo' },
        ],
      }),
    );
    const text = received[0]?.text ?? '';
    expect(headerOf(text, 'subject')).toMatch(/^=\?UTF-8\?Q\?Gr=C3=BC/);
    expect(headerOf(text, 'x-order')).toBe('4711');
    expect(text).toContain('Content-Type: multipart/');
    expect(text).toContain('<p>Your <b>order</b>');
    expect(text).toContain(Buffer.from('item,price').toString('base64'));
    expect(text).toMatch(/Content-Type: image\/png/);
    expect(text).toContain('iVBORw==');
  });

  test('of 10 MiB goes through, of more is refused', async () => {
    const { port, received } = await mailServer();
    const bytes = Buffer.alloc(10 * 1024 * 1024, 7).toString('base64');
    await send(mail(port, { attachments: [{ filename: 'big.bin', content_base64: bytes }] }));
    expect(received[0]?.text.length).toBeGreaterThan(bytes.length);
    const two: Json = [
      { filename: 'big.bin', content_base64: bytes },
      { filename: 'x', content: 'x' },
    ];
    expect(await fail(mail(port, { attachments: two }))).toMatchObject({ code: 'invalid_config', retryable: false });
  });

  test('that some recipients cannot get is sent to the others, and says so', async () => {
    const { port } = await mailServer({
      onRcptTo: ({ address }, _session, answer) =>
        answer(address.startsWith('unknown') ? new Error('no such box') : null),
    });
    const output = await send(mail(port, { to: 'ada@example.com, unknown@example.com' }));
    expect(output).toMatchObject({ accepted: ['ada@example.com'], rejected: ['unknown@example.com'] });
  });

  test('never reads a file or a URL, whatever it is made of', async () => {
    const { port, received } = await mailServer();
    await send(mail(port, { text: 'file:///etc/passwd', html: '/etc/passwd' }));
    expect(received[0]?.text).not.toContain('root:');
  });
});

describe('the way to the server', () => {
  withTls('is TLS from the first byte on port 465, or by its name', async () => {
    const { port, received } = await mailServer({ secure: true });
    await send(mail(port, {}, { security: 'tls', ca: CA, user: 'ada', password: 'sesame' }));
    expect(received).toMatchObject([{ secure: true, user: 'ada' }]);
  });

  withTls('is STARTTLS unless it says so, and a server without it is refused', async () => {
    const { port, received } = await mailServer({ key: certificate?.key });
    const login = { security: 'starttls', user: 'ada', password: 'sesame' };
    await send(mail(port, {}, { ...login, ca: CA }));
    expect(received).toMatchObject([{ secure: true, user: 'ada' }]);
    const plain = await mailServer();
    const unsaid = { host: 'mail.test', port: plain.port, user: 'ada', password: 'sesame' };
    expect(await fail({ ...MAIL, connection: unsaid })).toMatchObject({ code: 'smtp_protocol', retryable: false });
    expect(plain.received).toEqual([]);
  });

  withTls.each([
    ['tls', true],
    ['starttls', false],
  ])('%s with a certificate from an unknown issuer, or of another name, is refused', async (security, secure) => {
    const { port, received } = await mailServer({ secure, key: certificate?.key });
    expect(await fail(mail(port, {}, { security }))).toMatchObject({ code: 'smtp_protocol', retryable: false });
    const other = mail(port, {}, { security, host: 'other.test', ca: CA });
    expect(await fail(other)).toMatchObject({ code: 'smtp_protocol', retryable: false });
    expect(received).toEqual([]);
  });

  test('that is not admitted is blocked', async () => {
    const { port, received } = await mailServer();
    expect(await fail(mail(port), { allow: '' })).toMatchObject({ code: 'smtp_blocked', retryable: false });
    expect(received).toEqual([]);
  });

  test('to a closed port is a retryable failure', async () => {
    const { port } = await mailServer();
    await closing.pop()?.();
    expect(await fail(mail(port))).toMatchObject({ code: 'smtp_connect', retryable: true });
  });
});

describe("the installation's own server", () => {
  // The configuration of a process is frozen.
  const house = (port: number): PlatformMail => ({
    server: Object.freeze({ host: 'mail.test', port, security: 'none', login: { user: 'ada', password: 'sesame' } }),
    from: Object.freeze({ name: 'Everstep', address: 'no-reply@everstep.test' }),
    net: createDialer({ allow: parseEgressAllow('127.0.0.1'), resolver: async () => ['127.0.0.1'] }),
  });
  const { from: _from, ...unsigned } = MAIL;

  test('sends in its own name, wherever it stands, and answers go where the step says', async () => {
    const { port, received } = await mailServer();
    const world = { allow: '', means: { mail: house(port) }, idempotencyKey: 'k' };
    const output = await send({ ...unsigned, reply_to: 'me@example.com' }, world);
    expect(output.message_id).toBe('<k@everstep.test>');
    expect(received).toMatchObject([{ from: 'no-reply@everstep.test', user: 'ada' }]);
    expect(headerOf(received[0]?.text ?? '', 'from')).toBe('Everstep <no-reply@everstep.test>');
    expect(headerOf(received[0]?.text ?? '', 'reply-to')).toBe('me@example.com');
  });

  test('does not lend its name, nor its address, to a step', async () => {
    const { port, received } = await mailServer();
    const world = { allow: '', means: { mail: house(port) } };
    expect(await fail({ ...MAIL }, world)).toMatchObject({ code: 'invalid_config', retryable: false });
    expect(await fail(mail(port), world)).toMatchObject({ code: 'smtp_blocked' });
    expect(received).toEqual([]);
  });

  test('is missing where the operator has named none', async () => {
    expect(await fail(unsigned)).toMatchObject({ code: 'no_mail_server', retryable: false });
  });
});

describe('a refusal', () => {
  test('of the login is final and does not show the password, in any form', async () => {
    const { port } = await mailServer();
    const failure = await fail(mail(port, {}, { user: 'ada', password: 'open-sesame' }));
    expect(failure).toMatchObject({ code: 'smtp_login', retryable: false });
    expect(failure.message).toContain('no such login: ada with ***');
    const echoing = await mailServer({
      onAuth: ({ username, password }, _session, answer) =>
        answer(new Error(Buffer.from(`\0${username}\0${password}`).toString('base64'))),
    });
    const echoed = await fail(mail(echoing.port, {}, { user: 'ada', password: 'open-sesame' }));
    expect(echoed.message).toContain('***');
    expect(echoed.message).not.toContain(Buffer.from('open-sesame').toString('base64').slice(0, 8));
  });

  test.each([
    [451, true],
    [421, true],
    [550, false],
    [552, false],
  ])('with %d is retryable: %s', async (status, retryable) => {
    const { port } = await mailServer({
      onData(stream, _session, answer) {
        stream.resume().on('end', () => answer(Object.assign(new Error('not now'), { responseCode: status })));
      },
    });
    const failure = await fail(mail(port));
    expect(failure).toMatchObject({ code: 'smtp_refused', retryable });
    expect(failure.message).toContain(`${status} not now`);
  });

  test('of every recipient fails', async () => {
    const { port, received } = await mailServer({
      onRcptTo: (_address, _session, answer) => answer(new Error('no such box')),
    });
    expect(await fail(mail(port))).toMatchObject({ code: 'smtp_refused', retryable: false });
    expect(received).toEqual([]);
  });
});

describe('a connection that breaks', () => {
  const UP_TO_DATA = ['220 hello', '250 hello', '250 sender ok', '250 recipient ok', '354 go on'];

  test.each([0, 1, 2, 3])('after %d answers may be tried again', async (answers) => {
    const port = await scripted(UP_TO_DATA.slice(0, answers), (socket) => socket.destroy());
    expect(await fail(mail(port))).toMatchObject({ code: 'smtp_connect', retryable: true });
  });

  test('once the whole message is on its way leaves it open what became of it', async () => {
    const port = await scripted(UP_TO_DATA, (socket) => socket.destroy());
    const failure = await fail(mail(port));
    expect(failure).toMatchObject({ code: 'smtp_unknown', retryable: false });
  });

  test('or says nothing is given up when the time is over', async () => {
    const greeted = await scripted(['220 hello'], () => {});
    expect(await fail(mail(greeted, { timeout: '80ms' }))).toMatchObject({ code: 'smtp_timeout', retryable: true });
    const taken = await scripted(UP_TO_DATA, () => {});
    expect(await fail(mail(taken, { timeout: '200ms' }))).toMatchObject({ code: 'smtp_unknown', retryable: false });
  });

  test('says nothing of sense, without end, is given up', async () => {
    const noise = await scripted(['\u0000\u0001 \u00ff'], () => {});
    expect((await fail(mail(noise))).retryable).toBe(false);
    const endless = await scripted([`220-${'x'.repeat(2 * 1024 * 1024)}`], () => {});
    expect(await fail(mail(endless))).toMatchObject({ code: 'smtp_protocol', retryable: false });
  });

  test('ends with the signal, within 100 ms', async () => {
    const stop = new AbortController();
    const port = await scripted(['220 hello'], () => stop.abort());
    const began = performance.now();
    expect(await attempt(emailSendNode, mail(port), { signal: stop.signal })).toMatchObject({
      kind: 'fail',
      error: { code: 'smtp_aborted' },
    });
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});
