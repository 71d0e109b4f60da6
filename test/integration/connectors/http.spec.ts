import { createHash } from 'node:crypto';
import { Hash } from '@smithy/hash-node';
import { SignatureV4 } from '@smithy/signature-v4';
import type { JsonObject } from '../../../lib/json';
import { connectorsByName } from '../../../nodes/connectors';
import type { CaseAnswer } from '../../nodes/connectors/connector-case';
import type { Connector } from '../../../nodes/connectors/contract';
import { challengeIn, digestHeader } from '../../../nodes/connectors/generic-http/digest';
import { act, type Actor, done, failed } from '../../support/connectors/act';
import { type Provider, type SeenRequest, startProvider } from '../../support/connectors/provider';

let api: Provider;
const connector = connectorsByName.get('http') as Connector;
const as = (credentials: Record<string, string>): Actor => ({
  connector,
  credentials: { base_url: `${api.url}/v1`, ...credentials },
});
const last = (): SeenRequest => api.seen.at(-1) as SeenRequest;

const REALM = 'realm="api", nonce="n-1", opaque="o", qop="auth"';
const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

/** Whether a digest is what a server of RFC 7616 would compute by itself. */
function isDigest({ method, url, headers }: SeenRequest, password: string): boolean {
  const read = new Map(
    [...(headers.authorization ?? '').matchAll(/(\w+)="?([^",]+)"?/g)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  );
  const a1 = md5(`ada:api:${password}`);
  const a2 = md5(`${method}:${url}`);
  const expected = md5([a1, 'n-1', read.get('nc'), read.get('cnonce'), 'auth', a2].join(':'));
  return read.get('uri') === url && read.get('response') === expected;
}

beforeAll(async () => {
  api = await startProvider((request): CaseAnswer => {
    const { url, headers, text, method } = request;
    if (url.startsWith('/v1/digest') && !isDigest(request, 'sesame'))
      return { status: 401, headers: { 'www-authenticate': `Basic realm="x", Digest ${REALM}, algorithm=MD5` } };
    if (url === '/token') {
      const fits = headers.authorization === `Basic ${Buffer.from('id%3A1:s%26cret').toString('base64')}`;
      return fits
        ? { json: { access_token: 'fresh-token', sent: text } }
        : { status: 401, json: { error: 'invalid_client' } };
    }
    if (url === '/v1/elsewhere') return { status: 302, headers: { location: 'http://127.0.0.1:9/steal' } };
    return { json: { method, url, authorization: headers.authorization ?? null } };
  });
});
afterAll(() => api.close());

const get = async (actor: Actor, url = '/orders?x=1', more: JsonObject = {}): Promise<JsonObject> =>
  (await done(actor, 'read', { url, ...more })).body as JsonObject;

describe('requests show who asks', () => {
  test('by a name and a password', async () => {
    const { authorization } = await get(as({ auth: 'basic', username: 'ada', password: 'sesame' }));
    expect(authorization).toBe(`Basic ${Buffer.from('ada:sesame').toString('base64')}`);
  });

  test('by a token', async () => {
    expect(await get(as({ token: 'tok-1' }))).toEqual({
      method: 'GET',
      url: '/v1/orders?x=1',
      authorization: 'Bearer tok-1',
    });
  });

  test.each(['header', 'query', 'cookie'])('by a key in the %s', async (place) => {
    await get(as({ auth: 'api_key', key_in: place, key_name: 'X-Key', key: 'k&1' }));
    const { url, headers } = last();
    const seen = { header: headers['x-key'], query: url.split('&X-Key=')[1], cookie: headers.cookie };
    const wanted = { header: 'k&1', query: 'k%261', cookie: 'X-Key=k%261' };
    expect(seen[place as 'header']).toBe(wanted[place as 'header']);
  });

  test('by a digest, after the server has asked for it', async () => {
    const actor = as({ auth: 'digest', username: 'ada', password: 'sesame' });
    expect(await get(actor, '/digest/a%20b?c=d')).toMatchObject({ url: '/v1/digest/a%20b?c=d' });
    const wrong = as({ auth: 'digest', username: 'ada', password: 'wrong-one' });
    expect(await failed(wrong, 'read', { url: '/digest' })).toMatchObject({ code: 'http_status' });
  });

  test('by a token for a client', async () => {
    const client = { auth: 'oauth2', token_url: `${api.url}/token`, client_id: 'id:1', scope: 'a b' };
    // The run does not know this token, so that it is left out of what the answer quotes.
    expect(await get(as({ ...client, client_secret: 's&cret' }))).toMatchObject({ authorization: 'Bearer ***' });
    expect(last().headers.authorization).toBe('Bearer fresh-token');
    expect(api.seen.at(-2)?.text).toBe('grant_type=client_credentials&scope=a+b');
    const failure = await failed(as({ ...client, client_secret: 'wrong-one' }), 'read', { url: '/orders' });
    expect(failure).toMatchObject({ code: 'token_refused', message: expect.stringContaining('invalid_client') });
  });

  test('by a signature of AWS, as another signer makes it', async () => {
    const credentials = {
      auth: 'aws',
      access_key_id: 'AKIATEST',
      secret_access_key: 'sesame/open',
      region: 'eu-central-1',
      service: 'execute-api',
    };
    const body = { total: 3 };
    await done(as(credentials), 'request', { url: '/a b/ü?b=2&a=1', json: body });
    const { url, headers, text } = last();
    const { pathname, searchParams } = new URL(url, api.url);
    const signer = new SignatureV4({
      service: 'execute-api',
      region: 'eu-central-1',
      credentials: { accessKeyId: 'AKIATEST', secretAccessKey: 'sesame/open' },
      sha256: Hash.bind(null, 'sha256'),
    });
    const names = (/SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')?.[1] ?? '').split(';');
    const signed = await signer.sign(
      {
        method: 'POST',
        protocol: 'http:',
        hostname: '127.0.0.1',
        path: pathname,
        query: Object.fromEntries(searchParams),
        headers: Object.fromEntries(names.map((name) => [name, headers[name] ?? ''])),
        body: text,
      },
      { signingDate: new Date(Date.UTC(2030, 0, 1)) },
    );
    expect(headers.authorization).toBe(signed.headers.authorization);
  });

  test('and further headers go with all of them', async () => {
    await get(as({ auth: 'none', headers: '{"X-Tenant": "acme"}' }));
    expect(last().headers['x-tenant']).toBe('acme');
  });
});

test('a digest is that of RFC 7616, section 3.9.1', () => {
  const header =
    'Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=SHA-256, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"';
  const challenge = challengeIn(`${header}, ${header.replace('SHA-256', 'MD5')}`);
  if (challenge === null) throw new Error('no challenge');
  const answer = digestHeader(challenge, {
    username: 'Mufasa',
    password: 'Circle of Life',
    method: 'GET',
    uri: '/dir/index.html',
    cnonce: 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ',
  });
  expect(answer).toContain('response="753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"');
  expect(answer).toContain('algorithm=SHA-256');
});

test.each(['https://evil.example/orders', '//evil.example/orders', 'orders', 'http://127.0.0.1:1/x'])(
  'the credentials go nowhere but to their API: %s',
  async (url) => {
    const outcome = await act(as({ token: 'tok-1' }), 'request', { url });
    const text = JSON.stringify(outcome);
    // Two slashes begin a path of that API.
    if (url.startsWith('//')) expect(last().url).toBe('/v1//evil.example/orders');
    else expect(text).toContain('invalid_config');
  },
);

test('a redirect is not followed with credentials', async () => {
  const asked = await done(as({ token: 'tok-1' }), 'read', { url: '/elsewhere' });
  expect(asked).toMatchObject({ status: 302 });
});

test('without a connection the address is whole', async () => {
  const anonymous = { connector, credentials: null };
  expect(await done(anonymous, 'read', { url: `${api.url}/open` })).toMatchObject({ status: 200 });
  expect(await failed(anonymous, 'read', { url: '/open' })).toMatchObject({ code: 'invalid_config' });
});

test('a blocked address is refused', async () => {
  const actor = { ...as({ token: 'tok-1' }), allow: '' };
  expect(await failed(actor, 'read', { url: '/orders' })).toMatchObject({ code: 'http_blocked', retryable: false });
});
