import { deliveryId, recordableHeaders } from '../../../services/channels/headers';
import { waitMs } from '../../../mixins/admission';
import { runTrigger, webhookTrigger } from '../../../services/channels/receive';

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

test('headers of a connection are read in linear time', () => {
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

  test('is not taken from what every object inherits', () => {
    expect(deliveryId(Object.create({ 'webhook-id': 'inherited' }) as Record<string, string>)).toBeNull();
  });
});

test.each([
  [55_000, 54_000],
  [1_000, 900],
  [10_000, 9_000],
  [3_600_000, 3_599_000],
])('a request of %i ms waits %i ms for the end of a run', (timeout, wait) => {
  expect(waitMs(timeout)).toBe(wait);
});

const request = { workflow_id: 'w', method: 'GET', headers: { cookie: 'c', a: 'b' }, query: { q: 1 }, body: null };

test('a webhook triggers with what came in, less what must not be recorded', () => {
  expect(webhookTrigger(request, false)).toEqual({ body: null, headers: { a: 'b' }, query: { q: 1 }, method: 'GET' });
});

test('an object of /run triggers with its own keys and itself', () => {
  expect(runTrigger({ ...request, body: { a: 1 } })).toEqual({ a: 1, body: { a: 1 } });
  expect(runTrigger({ ...request, body: [1] })).toEqual({ body: [1] });
});
