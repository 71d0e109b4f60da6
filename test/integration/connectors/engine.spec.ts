import { createServer } from 'node:net';
import { createEgress, parseEgressAllow } from '../../../lib/egress';
import { bearer } from '../../../nodes/connectors/auth';
import type { CaseAnswer } from '../../nodes/connectors/connector-case';
import type { Connector, HttpAction } from '../../../nodes/connectors/contract';
import { actionNode } from '../../../nodes/connectors/node';
import { testCredentials } from '../../../nodes/connectors/connection-test';
import type { NodeContext, Outcome } from '../../../nodes/contract';
import { type Provider, type Script, startProvider } from '../../support/connectors/provider';
import { inlineCompute } from '../../support/inline-compute';
import { createContext } from '../../unit/nodes/context';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const line = { title: 'T', description: 'D', input: {}, required: [], output: { type: 'object' } } as const;
const get: HttpAction = {
  ...line,
  kind: 'http',
  name: 'get',
  effect: 'read',
  repeatable: true,
  request: () => ({ method: 'GET', url: '/things' }),
};
const add: HttpAction = {
  ...line,
  kind: 'http',
  name: 'add',
  effect: 'write',
  repeatable: false,
  request: () => ({ method: 'POST', url: '/things', body: { a: 1 } }),
};
const list: HttpAction = {
  ...get,
  name: 'list',
  pages: {
    items: ({ body }) => (body as { items: [] }).items,
    next: ({ body }) => {
      const { next } = body as { next?: string };
      return next === undefined ? null : { method: 'GET', url: next };
    },
  },
};
const connector: Connector = {
  name: 'thing',
  title: 'Thing',
  description: 'D',
  category: 'Custom',
  docs: 'https://example.com',
  auth: { required: true, oauth: { provider: 'suite', scopes: [] }, fields: [] },
  base: () => 'https://thing.invalid',
  sign: bearer('access_token'),
  connectionTest: { action: 'get', input: {} },
  actions: [get, add, list],
};

const provider = async (script: Script): Promise<Provider> => {
  const made = await startProvider(script);
  closing.push(() => made.close());
  return made;
};

/** One attempt; tokens are given out one after the other as those before are refused. */
async function attempt(api: Provider, name: string, input = {}, tokens = ['old-token', 'new-token']): Promise<Outcome> {
  const allow = parseEgressAllow('127.0.0.0/8');
  const http = createEgress({ allow });
  closing.push(() => http.close());
  const base = createContext(input);
  const given = [...tokens];
  const ctx: NodeContext = {
    ...base,
    http,
    redact: (text) => text.replaceAll('old-token', '***').replaceAll('new-token', '***'),
    connection: async (_ref, { connectors, refused }) => {
      expect(connectors).toEqual(['thing', 'suite']);
      if (refused !== undefined) expect(given.shift()).toBe(refused);
      const [token] = given;
      if (token === undefined)
        return { kind: 'refused', error: { code: 'connection_revoked', message: 'Connect the account again' } };
      return { kind: 'ready', connection: { id: 'c', connector: 'suite', credentials: { access_token: token } } };
    },
  };
  const action = connector.actions.find((each) => each.name === name) as HttpAction;
  return actionNode({ ...connector, base: () => api.url }, action).run(ctx);
}

test('a token that is refused is renewed once, and the request sent again with the same key', async () => {
  const api = await provider(
    ({ headers }): CaseAnswer =>
      headers.authorization === 'Bearer new-token'
        ? { json: { ok: true } }
        : { status: 401, json: { message: 'expired' } },
  );
  expect(await attempt(api, 'add')).toEqual({ kind: 'done', output: { ok: true } });
  expect(api.seen.map(({ headers }) => headers['idempotency-key'])).toEqual(['case-key', 'case-key']);
});

test('a second refusal is the last word, and the token is not shown', async () => {
  const api = await provider(({ headers }) => ({ status: 401, json: { message: `no ${headers.authorization}` } }));
  const outcome = await attempt(api, 'get');
  expect(outcome).toMatchObject({ kind: 'fail', error: { code: 'unauthorized' }, retryable: false });
  expect(JSON.stringify(outcome)).not.toContain('token"');
  expect(JSON.stringify(outcome)).not.toContain('new-token');
  expect(api.seen).toHaveLength(2);
});

test('a connection that counts no more says so', async () => {
  const api = await provider(() => ({ status: 401 }));
  expect(await attempt(api, 'get', {}, ['old-token'])).toMatchObject({
    kind: 'fail',
    error: { code: 'connection_revoked' },
    retryable: false,
  });
});

test('credentials follow no redirect', async () => {
  const thief = await provider(() => ({ json: {} }));
  const api = await provider(() => ({ status: 302, headers: { location: thief.url } }));
  expect(await attempt(api, 'get')).toMatchObject({ kind: 'fail', error: { code: 'redirected' }, retryable: false });
  expect(thief.seen).toEqual([]);
});

test.each([
  [408, true],
  [425, true],
  [429, true],
  [500, true],
  [503, true],
  [400, false],
  [403, false],
  [404, false],
  [409, false],
])('an answer of %i may be better the next time: %s', async (status, retryable) => {
  const api = await provider(() => ({ status, headers: { 'retry-after': '3' }, json: { error: { message: 'why' } } }));
  const outcome = await attempt(api, 'get');
  expect(outcome).toMatchObject({ kind: 'fail', retryable, error: { message: `Thing answered ${status}: why` } });
  expect('retryAfterMs' in outcome ? outcome.retryAfterMs : null).toBe(retryable ? 3_000 : null);
});

describe('pages', () => {
  const paged = (count: number, size: number): Script => {
    return ({ url }) => {
      const page = Number(new URL(url, 'http://x').searchParams.get('page') ?? 0);
      const items = Array.from({ length: size }, (_, n) => ({ n: page * size + n }));
      return { json: { items, ...(page + 1 < count ? { next: `{{server}}/things?page=${page + 1}` } : {}) } };
    };
  };

  test.each([
    [3, 10, 100, 30, false],
    [3, 10, 30, 30, false],
    [3, 10, 25, 25, true],
    [3, 10, 20, 20, true],
    [1, 0, 5, 0, false],
  ])('%i of %i, of which %i are wanted, give %i; more: %s', async (pages, size, limit, count, more) => {
    const api = await provider(paged(pages, size));
    expect(await attempt(api, 'list', { limit })).toMatchObject({ kind: 'done', output: { count, more } });
  });

  test('a hundred are asked for unless a step says how many, and a hundred pages at most', async () => {
    const api = await provider(paged(1_000, 1));
    expect(await attempt(api, 'list')).toMatchObject({ output: { count: 100, more: true } });
    expect(await attempt(api, 'list', { limit: 10_000 })).toMatchObject({ output: { count: 100, more: true } });
  });

  test('one that names itself as the next ends the list', async () => {
    const api = await provider(() => ({ json: { items: [1], next: '{{server}}/things?page=1' } }));
    expect(await attempt(api, 'list')).toMatchObject({ output: { count: 2, more: false } });
  });

  test('one at another host is not asked, with credentials or without', async () => {
    const thief = await provider(() => ({ json: { items: [] } }));
    const api = await provider(() => ({ json: { items: [1], next: `${thief.url}/things` } }));
    expect(await attempt(api, 'list')).toMatchObject({ kind: 'fail', error: { code: 'redirected' } });
    expect(thief.seen).toEqual([]);
  });

  test('more items in a page than anybody asked for are left out', async () => {
    const items = Array.from({ length: 300_000 }, () => 1);
    const api = await provider(() => ({ json: { items } }));
    expect(await attempt(api, 'list')).toMatchObject({ kind: 'done', output: { count: 100, more: true } });
  });

  test('pages that are large are not gathered without end', async () => {
    const item = 'x'.repeat(9 * 1024 * 1024);
    let page = 0;
    const api = await provider(() => ({ json: { items: [item], next: `{{server}}/things?page=${(page += 1)}` } }));
    expect(await attempt(api, 'list')).toMatchObject({ kind: 'fail', error: { code: 'too_large' }, retryable: false });
    expect(api.seen.length).toBeLessThan(5);
  });

  test('an answer without a list is no answer', async () => {
    const api = await provider(() => ({ json: { items: 'none' } }));
    expect(await attempt(api, 'list')).toMatchObject({ kind: 'fail', error: { code: 'invalid_response' } });
  });
});

describe('an answer that does not come', () => {
  test('leaves open what a change has come to, and it is not tried again by itself', async () => {
    const server = createServer((socket) => socket.once('data', () => socket.destroy()));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => new Promise((resolve) => server.close(() => resolve())));
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
    const api = { url, seen: [], close: async () => undefined };
    expect(await attempt(api, 'add')).toMatchObject({ error: { code: 'outcome_unknown' }, retryable: false });
    expect(await attempt(api, 'get')).toMatchObject({ error: { code: 'connector_connect' }, retryable: true });
  });

  test('because the server did not answer is tried again', async () => {
    const api = { url: 'http://127.0.0.1:1', seen: [], close: async () => undefined };
    expect(await attempt(api, 'add')).toMatchObject({ error: { code: 'connector_connect' }, retryable: true });
  });
});

describe('a probe', () => {
  const tried = async (api: Provider, token: string): Promise<Outcome | null> => {
    const http = createEgress({ allow: parseEgressAllow('127.0.0.0/8') });
    closing.push(() => http.close());
    const connect = (): Promise<never> => Promise.reject(new Error('no sockets here'));
    const world = {
      http,
      net: { connect },
      connectorUrls: new Map([['thing', api.url]]),
      compute: inlineCompute,
      now: 0,
    };
    return testCredentials(connector, { access_token: token }, { ...world, signal: new AbortController().signal });
  };

  test('tells whether credentials count, without showing them', async () => {
    const api = await provider(
      ({ headers }): CaseAnswer =>
        headers.authorization === 'Bearer right-token'
          ? { json: {} }
          : { status: 401, json: { message: `not ${headers.authorization}` } },
    );
    expect(await tried(api, 'right-token')).toMatchObject({ kind: 'done' });
    const wrong = await tried(api, 'wrong-token');
    expect(wrong).toMatchObject({
      kind: 'fail',
      error: { code: 'unauthorized', message: 'Thing answered 401: not Bearer ***' },
    });
  });
});
