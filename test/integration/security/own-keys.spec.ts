import type { Json, JsonObject } from '../../../lib/json';
import { rawRequest, statusOf } from '../../support/raw-http';
import { openSite, type Site, type User } from '../executor/site';

/** Names that reach inherited members, or mean something to a library, when they are assigned instead of defined. */
const HOSTILE = JSON.parse(
  '{"__proto__":{"polluted":1,"constructor":2},"constructor":{"prototype":{"polluted":3}},"prototype":[{"__proto__":null}],' +
    '"toString":4,"hasOwnProperty":5,"toJSON":6,"then":7,"length":8,"_bsontype":"ObjectId","$set":{"a.b":9},"a.b":10,"":11}',
) as JsonObject;

let site: Site;
let ann: User;
beforeAll(async () => {
  site = await openSite();
  ann = await site.user();
});
afterAll(() => site.close());

const steps: Json[] = [
  { id: 'copy', type: 'set', config: { whole: '{{ trigger }}', merged: '{{ merge({}, trigger.body) }}' } },
  { id: 'code', type: 'code', config: { source: 'return input', input: '{{ trigger.body }}' } },
];

describe('keys that name inherited members are data like any other', () => {
  test.each<[string, () => Promise<string>]>([
    [
      'in a webhook',
      async () => {
        const { body } = await ann.request('POST', `/webhooks/${await ann.workflow(steps)}`, HOSTILE);
        return String(body.execution_id);
      },
    ],
    ['in a start by hand', async () => ann.start(await ann.workflow(steps), { body: HOSTILE, ...HOSTILE })],
  ])('%s: they arrive, run, and are returned as they were sent', async (_where, start) => {
    const id = await start();
    expect(await ann.ended(id)).toMatchObject({ status: 'completed', error: null });
    const [copied, code] = (await ann.steps(id)).map(({ output }) => output as JsonObject);
    const text = JSON.stringify(HOSTILE);
    const { whole, merged } = copied as { whole: JsonObject; merged: JsonObject };
    expect([JSON.stringify(whole.body), JSON.stringify(merged)]).toEqual([text, text]);
    expect(JSON.stringify(code)).toContain('"__proto__"');
    expect(JSON.stringify((await ann.get(id)).trigger)).toContain(text);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test('in a query and a form of a webhook', async () => {
    const workflow = await ann.workflow(steps);
    const { body } = await ann.request('POST', `/webhooks/${workflow}?__proto__=a&constructor=b&prototype=c`, {});
    const { trigger } = await ann.ended(String(body.execution_id));
    expect(JSON.stringify((trigger as JsonObject).query)).toBe('{"__proto__":"a","constructor":"b","prototype":"c"}');
  });

  test('a replay of a request with them is recognised by them', async () => {
    const workflow = await ann.workflow(steps);
    const start = (body: Json) =>
      ann.request('POST', `/api/v1/workflows/${workflow}/trigger`, body, { 'idempotency-key': 'one' });
    const first = await start(JSON.parse('{"__proto__":1}') as Json);
    expect(first.status).toBe(202);
    expect((await start(JSON.parse('{"__proto__":1}') as Json)).body.id).toBe(first.body.id);
    expect((await start(JSON.parse('{"__proto__":2}') as Json)).status).toBe(409);
  });

  test('none of them stands in for a field: what a route asks for must be there by its own name', async () => {
    const { status, body } = await ann.request(
      'POST',
      '/api/v1/workflows',
      JSON.parse('{"__proto__":{"name":"x","dsl":{}},"constructor":{"name":"y"}}') as Json,
    );
    expect([status, body.code]).toEqual([400, 'invalid_request']);
  });

  test('a header field of that name, which the server cannot keep, is refused with words', async () => {
    const workflow = await ann.workflow(steps);
    const answer = await rawRequest(
      site.url,
      `POST /webhooks/${workflow} HTTP/1.1\r\nHost: x\r\n__Proto__: a\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
    );
    expect([statusOf(answer), answer.includes('cannot be named __proto__')]).toEqual([400, true]);
  });
});
