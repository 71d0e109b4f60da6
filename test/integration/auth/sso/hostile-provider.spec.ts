import { exportSPKI, generateKeyPair, type JWTPayload } from 'jose';
import type { TestApp } from '../../../support/app';
import { Browser, outcomeOf } from '../../../support/sso/browser';
import {
  type HostileProvider,
  type Sign,
  startHostileProvider,
  type Wrong,
} from '../../../support/sso/hostile-provider';
import { newOwner, type Owner, startHouse } from '../../../support/sso/house';

let app: TestApp;
let provider: HostileProvider;
let owner: Owner;

beforeAll(async () => {
  provider = await startHostileProvider();
  app = await startHouse();
  owner = await newOwner(app);
  await setUp(owner);
});
afterAll(() => Promise.all([app.close(), provider.close()]));
beforeEach(() => {
  provider.wrong = {};
});

const setUp = ({ api }: Owner, issuer = provider.issuer) =>
  api.ask('PUT', '/api/v1/sso/config', {
    provider: 'oidc',
    oidc: { issuer, client_id: 'everstep', client_secret: 'secret' },
  });

async function signIn(
  wrong: Wrong,
  change?: Record<string, string>,
  { tenant } = owner,
): Promise<Record<string, string>> {
  const browser = new Browser();
  const { location } = await browser.open(`${app.url}/api/v1/auth/sso/authorize?tenant_slug=${tenant.slug}`);
  provider.wrong = wrong;
  return outcomeOf((await browser.open(provider.back(location as string, change))).location as string);
}

const claiming = (change: JWTPayload) => ({
  token: (claims: JWTPayload, sign: Sign) => sign({ ...claims, ...change }),
});
const now = (): number => Math.floor(Date.now() / 1_000);

describe('an ID token', () => {
  it('that is right is taken, and from a provider that has changed its keys a second ago, too', async () => {
    expect(await signIn({})).toHaveProperty('token');
    await provider.rotate();
    expect(await signIn({})).toHaveProperty('token');
  });

  it.each<[string, Wrong]>([
    ['of another issuer', claiming({ iss: 'https://evil.test' })],
    ['for another client', claiming({ aud: 'another-client' })],
    ['for several clients, of which another one asked', claiming({ aud: ['everstep', 'other'], azp: 'other' })],
    ['with another nonce', claiming({ nonce: 'made-up' })],
    ['without a nonce', claiming({ nonce: undefined as never })],
    ['that has expired', claiming({ exp: now() - 120 })],
    ['of the future', claiming({ nbf: now() + 600 })],
    ['without a subject', claiming({ sub: undefined as never })],
    ['that is no token', { token: () => 'hello' }],
    [
      'without a signature',
      {
        token: (claims) =>
          `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.`,
      },
    ],
    [
      'signed with a key of its sender',
      { token: async (claims, sign) => sign(claims, { key: (await generateKeyPair('RS256')).privateKey }) },
    ],
    [
      'signed with an HMAC under the public key',
      {
        token: async (claims, sign) => {
          const { publicKey } = await generateKeyPair('RS256', { extractable: true });
          return sign(claims, { key: Buffer.from(await exportSPKI(publicKey)), alg: 'HS256' });
        },
      },
    ],
    [
      'whose bytes were changed after signing',
      {
        token: async (claims, sign) => {
          const [head, , mac] = (await sign(claims)).split('.');
          const body = Buffer.from(JSON.stringify({ ...claims, email: 'evil@example.com' })).toString('base64url');
          return `${head}.${body}.${mac}`;
        },
      },
    ],
  ])('%s is refused', async (_, wrong) => {
    expect(await signIn(wrong)).toMatchObject({ error: 'sign_in_failed' });
  });

  it('that expired within the clocks’ tolerance of a minute is taken', async () => {
    expect(await signIn(claiming({ exp: now() - 30 }))).toHaveProperty('token');
  });

  it.each<[string, JWTPayload]>([
    ['no address', { email: undefined }],
    ['an address that is not verified', { email_verified: false }],
    ['an address of which it does not say', { email_verified: undefined }],
    ['a mark of the domain beside a clear no', { email_verified: false, xms_edov: true }],
    ['a list as an address', { email: ['ann@example.com', 'bob@example.com'] }],
    ['two addresses', { email: 'ann@example.com,bob@example.com' }],
    ['an address of letters that look like others', { email: 'an\u212a@example.com' }],
    ['a subject that is an object', { sub: { $ne: 1 } as never }],
  ])('with %s signs no user in', async (_, change) => {
    expect(['sign_in_refused', 'sign_in_failed']).toContain((await signIn(claiming(change))).error);
  });

  it('with the mark of a directory that knows the domain’s owner lets its people in', async () => {
    expect(await signIn(claiming({ email_verified: undefined, xms_edov: true }))).toHaveProperty('token');
  });

  it('decides, not what the userinfo endpoint returns for another subject', async () => {
    const email = { email: undefined, email_verified: undefined };
    const userinfo = { sub: 'another', email: 'owner@example.com', email_verified: true };
    expect(await signIn({ ...claiming(email), userinfo })).toMatchObject({ error: 'sign_in_failed' });
    const own = { ...userinfo, sub: 'ann', email: 'userinfo@example.com' };
    expect(await signIn({ ...claiming(email), userinfo: own })).toHaveProperty('token');
  });

  it('is completed by the userinfo endpoint where it lacks the claim that roles go by', async () => {
    const other = await newOwner(app, { email: 'boss@example.com' });
    await other.api.ask('PUT', '/api/v1/sso/config', {
      provider: 'oidc',
      oidc: { issuer: provider.issuer, client_id: 'everstep', client_secret: 'secret' },
      default_role: null,
      role_mapping: { claim: 'groups', values: { Ops: 'admin' } },
    });
    const { token } = await signIn({ userinfo: { sub: 'ann', groups: ['Ops'] } }, {}, other);
    const me = await fetch(`${app.url}/api/v1/me`, { headers: { authorization: `Bearer ${token}` } });
    expect(await me.json()).toMatchObject({ email: 'ann@example.com', role: 'admin' });
  });
});

describe('a browser that keeps a cookie that it should have dropped', () => {
  it('finishes a sign-in once, though its provider would give a token for the same code again', async () => {
    const url = `${app.url}/api/v1/auth/sso/authorize?tenant_slug=${owner.tenant.slug}`;
    const { location, cookies } = await new Browser().open(url);
    const finish = async () => {
      const response = await fetch(provider.back(location as string), {
        headers: { cookie: cookies[0]?.split(';')[0] as string },
        redirect: 'manual',
      });
      return outcomeOf(response.headers.get('location') as string);
    };
    expect(await finish()).toHaveProperty('token');
    expect((await finish()).error_description).toContain('was finished before');
    const together = new Browser();
    const other = await together.open(url);
    const back = provider.back(other.location as string);
    const headers = { cookie: other.cookies[0]?.split(';')[0] as string };
    const ends = await Promise.all([1, 2, 3, 4].map(() => fetch(back, { headers, redirect: 'manual' })));
    const tokens = ends.filter(({ headers: got }) => got.get('location')?.includes('#token='));
    expect(tokens).toHaveLength(1);
  });
});

describe('a provider that answers nonsense', () => {
  it.each<[string, NonNullable<Wrong['answer']>]>([
    ['an error', { status: 400, body: '{"error":"invalid_grant","error_description":"<b>x</b>"}' }],
    ['an error without sense', { status: 500, body: '{"error":{"a":1}}' }],
    ['a page', { status: 200, body: '<html>', type: 'text/html' }],
    ['broken JSON', { status: 200, body: '{' }],
    ['no token', { status: 200, body: '{}' }],
    ['a null', { status: 200, body: 'null' }],
    ['a redirect to within', { status: 302, body: '' }],
    ['too much', { status: 200, body: `"${'x'.repeat(2_000_000)}"` }],
  ])('%s ends in words for the front end', async (_, answer) => {
    const outcome = await signIn({ answer });
    expect(['sign_in_failed', 'provider_failed']).toContain(outcome.error);
    expect(outcome.error_description).not.toMatch(/[<>]|xxx/);
  });

  it('the issuer of another one in the answer (mix-up) is refused', async () => {
    expect(await signIn({}, { iss: 'https://evil.test' })).toMatchObject({ error: 'sign_in_failed' });
    expect(await signIn({}, { iss: provider.issuer })).toHaveProperty('token');
  });
});

describe('a provider that is chosen to reach what it should not', () => {
  const authorize = async (by: Owner) =>
    (await new Browser().open(`${app.url}/api/v1/auth/sso/authorize?tenant_slug=${by.tenant.slug}`)).text;

  it.each([
    ['issuers that are none', (issuer: string) => ({ issuer: `${issuer}/other` })],
    [
      'the metadata of all tenants of a directory',
      () => ({ issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0' }),
    ],
    ['a script as the page to go to', () => ({ authorization_endpoint: 'javascript:alert(1)' })],
    ['a page without https', () => ({ authorization_endpoint: 'http://evil.test/' })],
    ['no page', () => ({ authorization_endpoint: undefined })],
  ])('%s: the browser goes nowhere', async (_, metadata) => {
    const own = await newOwner(app);
    const fresh = await startHostileProvider();
    try {
      fresh.wrong = { metadata };
      expect((await setUp(own, fresh.issuer)).status).toBe(200);
      expect(JSON.parse(await authorize(own))).toMatchObject({ code: 'provider_failed' });
    } finally {
      await fresh.close();
    }
  });

  it.each([
    ['token_endpoint', 'http://evil.test/token'],
    ['jwks_uri', 'http://127.0.0.2/latest/meta-data'],
    ['token_endpoint', 'https://127.0.0.2/token'],
    ['jwks_uri', 'https://[::1]/jwks'],
    ['token_endpoint', 'file:///etc/passwd'],
  ])('a %s at %s is not asked', async (name, address) => {
    const own = await newOwner(app);
    const fresh = await startHostileProvider();
    try {
      fresh.wrong = { metadata: () => ({ [name]: address }) };
      await setUp(own, fresh.issuer);
      const browser = new Browser();
      const { location } = await browser.open(`${app.url}/api/v1/auth/sso/authorize?tenant_slug=${own.tenant.slug}`);
      const { location: end } = await browser.open(fresh.back(location as string));
      expect(['provider_failed', 'sign_in_failed']).toContain(outcomeOf(end as string).error);
    } finally {
      await fresh.close();
    }
  });

  it('addresses inside, which the operator has not named, are not reached', async () => {
    const shut = await startHouse({ EGRESS_ALLOW: '' });
    try {
      const own = await newOwner(shut);
      const refused = await setUp(own);
      expect(refused).toMatchObject({ status: 400, body: { details: [{ path: 'oidc.issuer' }] } });
      const before = provider.asked.length;
      for (const issuer of ['https://127.0.0.1', 'https://127.0.0.2', 'https://[::1]', 'https://0x7f.1']) {
        expect((await setUp(own, issuer)).status).toBe(200);
        const page = await new Browser().open(`${shut.url}/api/v1/auth/sso/authorize?tenant_slug=${own.tenant.slug}`);
        expect(page.status).toBe(502);
        expect(page.text).toContain('provider_failed');
      }
      expect(provider.asked).toHaveLength(before);
    } finally {
      await shut.close();
    }
  });
});
