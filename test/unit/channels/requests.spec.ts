import { deliveryId, recordableHeaders } from '../../../lib/delivery-headers';
import { maxWaitMs } from '../../../mixins/start-run';
import { runCause, webhookCause } from '../../../mixins/webhooks/request';

describe('headers that a run may record', () => {
  test.each([
    [{}, {}],
    [
      { host: 'h', 'user-agent': 'u' },
      { host: 'h', 'user-agent': 'u' },
    ],
    [
      { authorization: 'a', cookie: 'c', 'x-api-key': 'k', 'proxy-authorization': 'p', accept: '*/*' },
      { accept: '*/*' },
    ],
    [{ connection: 'close , X-Hop', 'x-hop': '1', 'x-stay': '2' }, { 'x-stay': '2' }],
    [{ te: 't', trailer: 't', 'transfer-encoding': 'chunked', upgrade: 'u', 'keep-alive': 'k' }, {}],
    [
      { 'x-hub-signature-256': 's', 'stripe-signature': 's' },
      { 'x-hub-signature-256': 's', 'stripe-signature': 's' },
    ],
  ])('of %j are %j', (given, kept) => {
    expect(recordableHeaders(given as Record<string, string>)).toEqual(kept);
  });
});

test('headers that Connection names are removed in linear time', () => {
  const connection = `a${' '.repeat(2_000_000)}b, x-hop`;
  expect(recordableHeaders({ connection, 'x-hop': '1', 'x-stay': '2' })).toEqual({ 'x-stay': '2' });
});

describe('the id of a delivery', () => {
  test.each([
    [{}, null],
    [{ 'x-request-id': 'r', 'x-correlation-id': 'c' }, null],
    [{ 'idempotency-key': '   ' }, null],
    [{ 'x-github-delivery': ' g ' }, { header: 'x-github-delivery', value: 'g' }],
    [
      { 'webhook-id': 'w', 'idempotency-key': 'i' },
      { header: 'idempotency-key', value: 'i' },
    ],
  ])('in %j is %j', (headers, id) => {
    expect(deliveryId(headers as Record<string, string>)).toEqual(id);
  });

  test('is not read from inherited properties', () => {
    expect(deliveryId(Object.create({ 'webhook-id': 'inherited' }) as Record<string, string>)).toBeNull();
  });
});

test.each([
  [55_000, 54_000],
  [1_000, 900],
  [10_000, 9_000],
  [3_600_000, 3_599_000],
])('a request of %i ms waits %i ms for the end of a run', (timeout, wait) => {
  expect(maxWaitMs(timeout)).toBe(wait);
});

const raw = Buffer.from('{');
const request = { method: 'GET', headers: { cookie: 'c', a: 'b' }, query: { q: 1 }, body: null, raw };

test('a webhook triggers with its request, without data that must not be recorded', () => {
  const trigger = { body: null, headers: { a: 'b' }, query: { q: 1 }, method: 'GET' };
  expect(webhookCause(request, false)).toEqual({ type: 'http', trigger });
  const asItCame = { raw_body: '{', raw_encoding: 'utf8' };
  expect(webhookCause(request, true)).toEqual({ type: 'http', trigger: { ...trigger, ...asItCame } });
});

test('a request to /run triggers with its body, which the host spreads', () => {
  const body = { a: 1 };
  const cause = runCause({ ...request, body });
  expect(cause).toEqual({ type: 'api', trigger: { body }, spread_body: true });
  expect(cause.trigger.body).toBe(body);
});
