import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { authService } from '../../../services/auth/auth.service';
import { channelsService } from '../../../services/channels/channels.service';
import { secretsService } from '../../../services/secrets/secrets.service';
import { registerTenant } from '../../support/accounts';
import { startApp, type TestApp } from '../../support/app';
import { ask } from '../../support/http';

const TOKEN = '123456:AAE-a-token_of_a_bot';

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers?: Record<string, string>;
}

/** A Bot API on loopback, which returns the configured answer. */
class BotApi {
  readonly #server: Server;
  readonly requests: { path: string; body: unknown }[] = [];
  answer: Answer = ok(7);

  private constructor() {
    this.#server = createServer((request, response) => {
      void textOf(request).then((text) => {
        this.requests.push({ path: request.url ?? '', body: JSON.parse(text) });
        response.writeHead(this.answer.status, this.answer.headers ?? {}).end(this.answer.body);
      });
    });
  }

  static async open(): Promise<BotApi> {
    const api = new BotApi();
    await new Promise<void>((resolve) => api.#server.listen(0, '127.0.0.1', resolve));
    return api;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

const ok = (message_id: number): Answer => ({
  status: 200,
  body: JSON.stringify({ ok: true, result: { message_id, chat: { id: 42 } } }),
});
const refusal = (status: number, description: string): Answer => ({
  status,
  body: JSON.stringify({ ok: false, error_code: status, description }),
});

let api: BotApi;
let app: TestApp;
let token: string;

const start = (env: Record<string, string>) =>
  startApp({ services: [authService, secretsService, channelsService, apiGatewayService], env });
const send = (body: object, to = app, as = token) => ask(to, 'POST /api/v1/test/bot-messenger', { token: as, body });

beforeAll(async () => {
  api = await BotApi.open();
  app = await start({ BOT_MESSENGER_URL: `${api.url}/` });
  ({ token } = await registerTenant(app));
});
afterAll(async () => {
  await app?.close();
  await api?.close();
});
beforeEach(() => {
  api.requests.length = 0;
  api.answer = ok(7);
});

it('a message reaches the chat by the bot', async () => {
  const { status, body } = await send({ bot_token: TOKEN, chat_id: -100123, message: 'Hello' });
  expect({ status, body }).toEqual({ status: 200, body: { ok: true, message_id: 7 } });
  expect(api.requests).toEqual([{ path: `/bot${TOKEN}/sendMessage`, body: { chat_id: '-100123', text: 'Hello' } }]);
});

it('token and chat may be references to secrets, and a message has words of its own', async () => {
  for (const [name, value] of [
    ['BOT', TOKEN],
    ['CHAT', '@channel'],
  ]) {
    await ask(app, 'POST /api/v1/secrets', { token, body: { name, value } });
  }
  const { status } = await send({ bot_token: '{{ secret.BOT }}', chat_id: '{{secret.CHAT}}' });
  expect(status).toBe(200);
  expect(api.requests[0]).toEqual({
    path: `/bot${TOKEN}/sendMessage`,
    body: { chat_id: '@channel', text: expect.stringContaining('Everstep') },
  });
  const missing = await send({ bot_token: '{{ secret.NONE }}', chat_id: 1 });
  expect(missing).toMatchObject({ status: 400, body: { code: 'unknown_secret' } });
});

describe('a refusal of the messenger', () => {
  it.each([
    [refusal(401, 'Unauthorized'), 400, 'bot_token'],
    [refusal(404, 'Not Found'), 400, 'bot_token'],
    [refusal(400, 'Bad Request: chat not found'), 400, 'chat not found'],
    [refusal(403, 'Forbidden: bot was blocked by the user'), 400, 'blocked'],
    [refusal(429, 'Too Many Requests: retry after 5'), 502, 'Too Many Requests'],
    [{ status: 500, body: 'oops' }, 502, 'status 500'],
    [{ status: 200, body: 'not json' }, 502, 'status 200'],
    [{ status: 302, body: '', headers: { location: 'http://example.com/' } }, 502, 'status 302'],
    [refusal(400, `no bot ${TOKEN} here`), 400, 'no bot *** here'],
  ])('%j is reported with a message as %i, without the token', async (answer, status, words) => {
    api.answer = answer;
    const got = await send({ bot_token: TOKEN, chat_id: 1 });
    expect(got.status).toBe(status);
    expect(got.body.error).toContain(words);
    expect(JSON.stringify(got.body)).not.toContain(TOKEN);
    expect(api.requests).toHaveLength(1);
  });

  it('is reported too when the server does not answer', async () => {
    const gone = await BotApi.open();
    const url = gone.url;
    await gone.close();
    const other = await start({ BOT_MESSENGER_URL: url });
    try {
      const session = await registerTenant(other);
      const got = await send({ bot_token: TOKEN, chat_id: 1 }, other, session.token);
      expect(got).toMatchObject({ status: 502, body: { code: 'provider_failed' } });
      expect(JSON.stringify(got.body)).not.toContain(TOKEN);
    } finally {
      await other.close();
    }
  });
});

it.each([
  {},
  { bot_token: TOKEN },
  { bot_token: 'a/../b', chat_id: 1 },
  { bot_token: `${TOKEN}?x=`, chat_id: 1 },
  { bot_token: '', chat_id: 1 },
  { bot_token: TOKEN, chat_id: {} },
  { bot_token: TOKEN, chat_id: 1, message: 'x'.repeat(4_097) },
  { bot_token: [TOKEN], chat_id: 1 },
])('%j is refused before anything is sent', async (body) => {
  expect((await send(body)).status).toBe(400);
  expect(api.requests).toEqual([]);
});
