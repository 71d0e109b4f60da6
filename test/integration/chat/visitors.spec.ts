import { connect } from 'node:net';
import type { JsonObject } from '../../../lib/json';
import { TokenBuckets } from '../../../lib/token-bucket';
import { type HttpAnswer } from '../../support/http';
import { until } from '../../support/until';
import { openSite, shownBy, type Site, askStep } from './site';

let site: Site;

beforeAll(async () => {
  site = await openSite({ TRUST_PROXY: '127.0.0.1' });
}, 60_000);
afterAll(() => site.close());

const ECHO = { id: 'echo', type: 'set', config: { text: 'You wrote {{ trigger.message }}' } };
const deploy = async (fields: JsonObject = {}): Promise<string> => site.deploy(await site.workflow([ECHO]), fields);
const from = (address: string): Record<string, string> => ({ 'x-forwarded-for': address });
const statuses = (answers: readonly HttpAnswer[]): Record<number, number> =>
  answers.reduce<Record<number, number>>((all, { status }) => ({ ...all, [status]: (all[status] ?? 0) + 1 }), {});

describe('a visitor', () => {
  const pace = { rate_limit: { per_minute: 6, burst: 3 } };

  test('who writes faster than the chat allows gets a time to retry after; others are not delayed', async () => {
    const slug = await deploy(pace);
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => site.say(slug, { message: 'x' }, from('192.0.2.1'))));
    expect(statuses(answers)).toEqual({ 200: 3, 429: 2 });
    const refused = answers.find(({ status }) => status === 429);
    expect([refused?.headers.get('retry-after'), refused?.body.code]).toEqual(['10', 'rate_limited']);
    expect((await site.say(slug, { message: 'x' }, from('192.0.2.2'))).status).toBe(200);
    expect((await site.say(await deploy(pace), { message: 'x' }, from('192.0.2.1'))).status).toBe(200);
  });

  test('is limited by conversation too, from any number of addresses', async () => {
    const slug = await deploy(pace);
    const { conversation_id } = (await site.say(slug, { message: 'x' }, from('192.0.2.10'))).body;
    const message = { message: 'x', conversation_id: String(conversation_id) };
    const answers = await Promise.all([11, 12, 13, 14, 15].map((n) => site.say(slug, message, from(`192.0.2.${n}`))));
    expect(statuses(answers)).toEqual({ 200: 3, 429: 2 });
  });

  test('with an invalid conversation id takes no memory for it, however long it is', async () => {
    const slug = await deploy();
    const take = jest.spyOn(TokenBuckets.prototype, 'take');
    const { status } = await site.say(slug, { message: 'x', conversation_id: 'y'.repeat(100_000) });
    const longest = Math.max(...take.mock.calls.map(([name]) => name.length));
    take.mockRestore();
    expect(status).toBe(404);
    expect(longest).toBeGreaterThan(0);
    expect(longest).toBeLessThan(200);
  });

  test('cannot have another visitor’s reply by guessing their Idempotency-Key', async () => {
    const slug = await deploy();
    const send = (address: string) =>
      site.say(slug, { message: 'hi' }, { ...from(address), 'idempotency-key': 'the-same' });
    const [one, other] = [await send('192.0.2.20'), await send('192.0.2.21')];
    expect(other.body.conversation_id).not.toBe(one.body.conversation_id);
    expect(other.headers.get('idempotent-replayed')).toBeNull();
  });

  test('finds nothing by trying slugs, and an odd one breaks nothing', async () => {
    for (const slug of ['help', 'admin', '../executions', '%2e%2e', 'A', '__proto__', 'x'.repeat(90), '%00', '{{x}}']) {
      const { status } = await fetch(`${site.t.url}/public/chat/${slug}`);
      expect([slug, [400, 404].includes(status)]).toEqual([slug, true]);
    }
  });
});

test('two hundred visitors at once get their own replies, or a request to retry', async () => {
  const slug = await deploy();
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, n) => site.say(slug, { message: `n${n}` }, from(`198.51.100.${n}`))),
  );
  const { 200: served = 0, 503: later = 0 } = statuses(answers);
  expect(served + later).toBe(200);
  expect(served).toBeGreaterThanOrEqual(50);
  answers.forEach(({ status, body }, n) => {
    if (status === 200) expect(body.reply).toBe(`You wrote n${n}`);
  });
  const conversations = answers.flatMap(({ status, body }) => (status === 200 ? [body.conversation_id] : []));
  expect(new Set(conversations).size).toBe(served);
  expect((await site.say(slug, { message: 'after' })).status).toBe(200);
}, 60_000);

describe('pages of other sites', () => {
  const preflight = (slug: string, origin: string) =>
    fetch(`${site.t.url}/public/chat/${slug}`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
    });

  test('may use a chat that says nothing of them', async () => {
    const slug = await deploy();
    const origin = { origin: 'https://anywhere.example' };
    const { status, headers } = await site.say(slug, { message: 'x' }, origin);
    expect([status, headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    const asked = await preflight(slug, origin.origin);
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    expect(asked.headers.get('access-control-allow-headers')).toContain('Idempotency-Key');
  });

  test('of which a chat names some, may use it, and no others: not even to start a run', async () => {
    const slug = await deploy({ allowed_origins: ['https://shop.example', 'http://localhost:5173'] });
    for (const origin of ['https://shop.example', 'http://localhost:5173']) {
      const { status, headers } = await site.say(slug, { message: 'x' }, { origin });
      expect([status, headers.get('access-control-allow-origin'), headers.get('vary')]).toEqual([
        200,
        origin,
        'Origin',
      ]);
    }
    const before = site.t.app.db.collection('executions');
    const count = await before.countDocuments({});
    for (const origin of ['https://evil.example', 'https://shop.example.evil.example', 'http://shop.example', 'null']) {
      const { status, headers } = await site.say(slug, { message: 'x' }, { origin });
      expect([status, headers.get('access-control-allow-origin')]).toEqual([403, null]);
    }
    expect(await before.countDocuments({})).toBe(count);
    expect((await site.say(slug, { message: 'x' })).status).toBe(200);
  });
});

test('a visitor who stops reading delays no other visitor: the run ends, and others are served', async () => {
  const slug = await site.deploy(await site.workflow([askStep()]));
  const piece = 'x'.repeat(8_192);
  site.script = () => ({ kind: 'pieces', pieces: Array.from({ length: 400 }, () => piece) });
  const body = JSON.stringify({ message: 'go' });
  const { hostname, port } = new URL(site.t.url);
  const socket = connect(Number(port), hostname);
  socket.pause();
  socket.write(
    `POST /public/chat/${slug} HTTP/1.1\r\nhost: x\r\naccept: text/event-stream\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  try {
    const kept = () => site.t.app.db.collection('chat_conversations').findOne({ 'turns.said': 'go' });
    await until('the reply is remembered', kept, 40_000);
    site.script = () => ({ kind: 'text', text: 'Hello.' });
    const open = await site.stream(slug, { message: 'another' });
    await open.ended;
    expect(shownBy(open.events)).toBe('Hello.');
  } finally {
    socket.destroy();
  }
}, 60_000);
