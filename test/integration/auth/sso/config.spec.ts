import type { TestApp } from '../../../support/app';
import { signingCertificate } from '../../../support/certificate';
import { ManualClock } from '../../../support/manual-clock';
import { Browser, outcomeOf } from '../../../support/sso/browser';
import { newOwner, type Owner, startHouse } from '../../../support/sso/house';
import { base64, requestIn, responseXml, samlFields, signed } from '../../../support/sso/saml-idp';

const idp = signingCertificate();
// No server listens there.
const OIDC = { issuer: 'https://localhost:1', client_id: 'everstep', client_secret: 'very secret' };
const SAML = { entry_point: 'https://idp.test/sso', issuer: 'https://idp.test/metadata', certificate: idp.cert };
const PATH = '/api/v1/sso/config';

let app: TestApp;
let owner: Owner;
beforeAll(async () => {
  app = await startHouse();
});
beforeEach(async () => {
  owner = await newOwner(app);
});
afterAll(() => app.close());

const put = (body: object, by: Owner = owner) => by.api.ask('PUT', PATH, body);
const stored = () => app.app.db.collection<{ _id: string }>('sso_configs').findOne({ _id: owner.tenant.id });

describe('the configuration of single sign-on', () => {
  it('is not there, is put, read, replaced and removed', async () => {
    expect((await owner.api.ask('GET', PATH)).status).toBe(404);
    const { status, body } = await put({ provider: 'oidc', oidc: OIDC });
    expect(status).toBe(200);
    expect(body).toEqual({
      provider: 'oidc',
      enabled: true,
      enforce: false,
      enforce_domains: [],
      oidc: {
        issuer: OIDC.issuer,
        client_id: 'everstep',
        client_secret_set: true,
        scopes: ['openid', 'email', 'profile'],
      },
      saml: null,
      default_role: 'member',
      role_mapping: null,
      callback_url: `${app.url}/api/v1/auth/sso/callback`,
      metadata_url: `${app.url}/api/v1/auth/sso/metadata?tenant_slug=${owner.tenant.slug}`,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      warnings: [{ path: 'oidc.issuer', message: expect.stringContaining('https://localhost:1') }],
    });
    const { warnings: _, ...shown } = body;
    expect((await owner.api.ask('GET', PATH)).body).toEqual(shown);
    const mapping = { claim: 'groups', values: { ops: 'admin', __proto__x: 'member' } };
    const next = await put({ provider: 'saml', saml: SAML, enforce: true, default_role: null, role_mapping: mapping });
    expect(next.body).toMatchObject({
      provider: 'saml',
      enforce: true,
      oidc: null,
      default_role: null,
      role_mapping: mapping,
      created_at: body.created_at,
      saml: {
        entry_point: SAML.entry_point,
        certificates: [
          {
            subject: 'CN=test',
            fingerprint_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
            not_after: expect.any(String),
          },
        ],
      },
    });
    expect((await owner.api.ask('DELETE', PATH)).status).toBe(204);
    expect((await owner.api.ask('DELETE', PATH)).status).toBe(404);
    expect((await owner.api.ask('GET', PATH)).status).toBe(404);
  });

  it('warns of a provider that cannot be used now, and of certificates that expire within 30 days', async () => {
    const unreachable = await put({ provider: 'oidc', oidc: OIDC });
    expect(unreachable.body.warnings).toEqual([
      { path: 'oidc.issuer', message: expect.stringContaining('could not be reached') },
    ]);
    expect((await put({ provider: 'saml', saml: SAML })).body.warnings).toEqual([
      { path: 'saml.certificate', message: expect.stringMatching(/^The certificate of CN=test is valid until 20/) },
    ]);
  });

  it('never shows the secret, which is stored encrypted', async () => {
    const { body } = await put({ provider: 'oidc', oidc: OIDC });
    const audit = await owner.api.call('GET', '/api/v1/audit');
    const record = await stored();
    for (const text of [body, audit, record].map((each) => JSON.stringify(each)))
      expect(text).not.toContain('very secret');
    expect(JSON.stringify(record)).not.toContain(Buffer.from('very secret').toString('base64'));
    expect(record).toMatchObject({ client_secret: { key_id: expect.any(String) } });
  });

  it('keeps the secret that is not sent again, but gives it to no other issuer or client', async () => {
    await put({ provider: 'oidc', oidc: OIDC });
    const { client_secret: _, ...rest } = OIDC;
    expect((await put({ provider: 'oidc', oidc: rest, enforce: true })).body).toMatchObject({
      enforce: true,
      oidc: { client_secret_set: true },
    });
    for (const other of [{ issuer: 'https://evil.test' }, { client_id: 'other' }]) {
      expect(await put({ provider: 'oidc', oidc: { ...rest, ...other } })).toMatchObject({
        status: 400,
        body: { details: [{ path: 'oidc.client_secret' }] },
      });
    }
    expect((await put({ provider: 'oidc', oidc: { ...rest, client_secret: null } })).body).toMatchObject({
      oidc: { client_secret_set: false },
    });
  });

  it('is on record, before and after, without the secret', async () => {
    await put({ provider: 'oidc', oidc: OIDC });
    await put({ provider: 'oidc', oidc: OIDC, enabled: false });
    await owner.api.call('DELETE', PATH);
    const { data } = await owner.api.call<{ data: object[] }>('GET', '/api/v1/audit?action=sso.');
    expect(data).toMatchObject([
      { action: 'sso.remove', before: { enabled: false }, after: null },
      { action: 'sso.update', before: { enabled: true }, after: { enabled: false, client_secret_changed: true } },
      { action: 'sso.update', before: null, after: { provider: 'oidc', oidc: { issuer: OIDC.issuer } } },
    ]);
  });

  it.each<[string, object, string]>([
    ['provider', { provider: 'ldap' }, 'provider'],
    ['settings', { provider: 'oidc' }, 'oidc'],
    ['settings of the other kind', { provider: 'saml', oidc: OIDC }, 'saml'],
    ['issuer without https', { provider: 'oidc', oidc: { ...OIDC, issuer: 'http://id.example.com' } }, 'oidc.issuer'],
    ['issuer that is a script', { provider: 'oidc', oidc: { ...OIDC, issuer: 'javascript:alert(1)' } }, 'oidc.issuer'],
    [
      'issuer with a password',
      { provider: 'oidc', oidc: { ...OIDC, issuer: 'https://a:b@id.example.com' } },
      'oidc.issuer',
    ],
    [
      'issuer with a query',
      { provider: 'oidc', oidc: { ...OIDC, issuer: 'https://id.example.com?a=b' } },
      'oidc.issuer',
    ],
    [
      'address of the metadata',
      { provider: 'oidc', oidc: { ...OIDC, issuer: 'https://id.example.com/.well-known/openid-configuration' } },
      'oidc.issuer',
    ],
    ['scope', { provider: 'oidc', oidc: { ...OIDC, scopes: ['"'] } }, 'oidc.scopes'],
    ['page', { provider: 'saml', saml: { ...SAML, entry_point: 'http://idp.test' } }, 'saml.entry_point'],
    ['entity', { provider: 'saml', saml: { ...SAML, issuer: 'a b' } }, 'saml.issuer'],
    ['certificate', { provider: 'saml', saml: { ...SAML, certificate: 'hello' } }, 'saml.certificate'],
    [
      'certificate of a weak key',
      { provider: 'saml', saml: { ...SAML, certificate: signingCertificate('rsa:1024').cert } },
      'saml.certificate',
    ],
    [
      'certificate of another kind',
      { provider: 'saml', saml: { ...SAML, certificate: signingCertificate('curve').cert } },
      'saml.certificate',
    ],
    ['enforcing', { provider: 'oidc', oidc: OIDC, enabled: false, enforce: true }, 'enforce'],
    ['default role', { provider: 'oidc', oidc: OIDC, default_role: 'owner' }, 'default_role'],
    [
      'mapping to owner',
      { provider: 'oidc', oidc: OIDC, role_mapping: { claim: 'g', values: { a: 'owner' } } },
      'role_mapping.values',
    ],
    ['mapping', { provider: 'oidc', oidc: OIDC, role_mapping: { claim: '', values: {} } }, 'role_mapping.claim'],
    ['type', { provider: 'oidc', oidc: [], enabled: 'yes' }, 'enabled'],
  ])('refuses a wrong %s, and says where', async (_, body, path) => {
    const { status, body: answer } = await put(body);
    expect(status).toBe(400);
    const { details } = answer as unknown as { details: { path: string }[] };
    expect(details.map((each) => each.path).some((each) => each.startsWith(path))).toBe(true);
    expect(await stored()).toBeNull();
  });

  it('takes the certificate as metadata have it, and several while keys are changed', async () => {
    const bare = idp.cert.replace(/-----[A-Z ]+-----/g, '');
    expect((await put({ provider: 'saml', saml: { ...SAML, certificate: bare } })).status).toBe(200);
    const both = idp.cert + signingCertificate().cert;
    const { body } = await put({ provider: 'saml', saml: { ...SAML, certificate: both } });
    expect((body as unknown as { saml: { certificates: object[] } }).saml.certificates).toHaveLength(2);
  });

  it('is what a check shows of it, which tells nothing of tenants that have none or do not exist', async () => {
    const check = async (slug: string) => (await fetch(`${app.url}/api/v1/auth/sso/check?tenant_slug=${slug}`)).json();
    const none = { enabled: false, provider: null, enforce: false };
    expect(await check(owner.tenant.slug)).toEqual(none);
    expect(await check('no-such-tenant')).toEqual(none);
    await put({ provider: 'saml', saml: SAML });
    expect(await check(owner.tenant.slug.toUpperCase())).toEqual({ enabled: true, provider: 'saml', enforce: false });
    await put({ provider: 'saml', saml: SAML, enabled: false });
    expect(await check(owner.tenant.slug)).toEqual(none);
  });
});

describe('a tenant that enforces it', () => {
  it('takes no password but of its owners, until it is removed', async () => {
    await put({ provider: 'saml', saml: SAML });
    const { tenant } = owner;
    const invite = await owner.api.call<{ invite_url: string }>('POST', '/api/v1/team/invite', {
      email: 'mia@example.com',
      role: 'admin',
    });
    const token = new URL(invite.invite_url).searchParams.get('token');
    await owner.api.call('POST', '/api/v1/auth/accept-invite', { token, password: 'a password of hers' });
    const login = { tenant_slug: tenant.slug, email: 'mia@example.com', password: 'a password of hers' };
    const session = await owner.api.ask<{ token: string }>('POST', '/api/v1/auth/login', login);
    expect(session.status).toBe(200);
    const hers = { headers: { authorization: `Bearer ${session.body.token}` } };
    expect((await fetch(`${app.url}/api/v1/me`, hers)).status).toBe(200);
    await put({ provider: 'saml', saml: SAML, enforce: true });
    // Sessions that a password has opened end, except those of owners.
    expect((await fetch(`${app.url}/api/v1/me`, hers)).status).toBe(401);
    expect((await owner.api.ask('GET', '/api/v1/me')).status).toBe(200);
    expect(await owner.api.ask('POST', '/api/v1/auth/login', login)).toMatchObject({
      status: 403,
      body: { code: 'sso_required' },
    });
    expect((await owner.api.ask('POST', '/api/v1/auth/login', { ...login, password: 'wrong password' })).status).toBe(
      401,
    );
    const own = { ...login, email: owner.user.email, password: 'correct horse battery' };
    expect((await owner.api.ask('POST', '/api/v1/auth/login', own)).status).toBe(200);
    await owner.api.call('DELETE', PATH);
    expect((await owner.api.ask('POST', '/api/v1/auth/login', login)).status).toBe(200);
  });
});

describe('addresses', () => {
  it('are those of the owner who set it up, whatever host a request names later', async () => {
    await put({ provider: 'saml', saml: SAML });
    const url = `${app.url}/api/v1/auth/sso/metadata?tenant_slug=${owner.tenant.slug}`;
    const { hostname, port } = new URL(app.url);
    const { request } = await import('node:http');
    const text = await new Promise<string>((resolve, reject) => {
      const { pathname, search } = new URL(url);
      request({ hostname, port, path: pathname + search, headers: { host: 'evil.test' } }, (answer) => {
        let all = '';
        answer.on('data', (chunk: Buffer) => (all += chunk.toString())).on('end', () => resolve(all));
      })
        .on('error', reject)
        .end();
    });
    expect(text).not.toContain('evil.test');
    expect(text).toContain(`entityID="${url}"`);
  });

  it('are those of BASE_URL, with cookies for https alone', async () => {
    const public_ = await startHouse({ BASE_URL: 'https://flows.example.com' });
    try {
      const own = await newOwner(public_);
      expect((await put({ provider: 'saml', saml: SAML }, own)).body).toMatchObject({
        callback_url: 'https://flows.example.com/api/v1/auth/sso/callback',
      });
      const page = await new Browser().open(`${public_.url}/api/v1/auth/sso/authorize?tenant_slug=${own.tenant.slug}`);
      expect(page.cookies[0]).toMatch(/; HttpOnly; SameSite=Lax; Secure$/);
      expect(requestIn(page.location as string).acs).toBe('https://flows.example.com/api/v1/auth/sso/callback');
    } finally {
      await public_.close();
    }
  });
});

describe('time', () => {
  it('ends a sign-in after ten minutes', async () => {
    const clock = new ManualClock(Date.now());
    const slow = await startHouse({}, { clock });
    try {
      const own = await newOwner(slow);
      await put({ provider: 'saml', saml: SAML }, own);
      const finish = async (afterMs: number) => {
        const browser = new Browser();
        const page = await browser.open(`${slow.url}/api/v1/auth/sso/authorize?tenant_slug=${own.tenant.slug}`);
        const { id, acs, issuer, relayState } = requestIn(page.location as string);
        clock.advance(afterMs);
        const message = samlFields({ recipient: acs, audience: issuer, inResponseTo: id, now: clock.now() });
        const form = { SAMLResponse: base64(signed(responseXml(message), idp)), RelayState: relayState };
        const posted = await browser.open(acs, form, true);
        return outcomeOf((await browser.open(posted.location as string)).location as string);
      };
      expect(await finish(9 * 60_000)).toHaveProperty('token');
      expect(await finish(10 * 60_000 + 1)).toMatchObject({
        error: 'sign_in_failed',
        error_description: expect.stringContaining('it took more than 10 minutes'),
      });
    } finally {
      await slow.close();
    }
  });
});
