import { openTestDatabase, type TestApp } from '../../../support/app';
import { signingCertificate } from '../../../support/certificate';
import { Browser, outcomeOf, type Page } from '../../../support/sso/browser';
import { eventsOf, FRONTEND, newOwner, type Owner, startHouse } from '../../../support/sso/house';
import { base64, requestIn, responseXml, type SamlFields, samlFields, signed } from '../../../support/sso/saml-idp';

const ENTRY = 'https://idp.test/sso?idpid=C1&x=2';
const idp = signingCertificate();

let app: TestApp;
let owner: Owner;
beforeAll(async () => {
  app = await startHouse();
  owner = await newOwner(app);
  await setUp(owner);
});
afterAll(() => app.close());

const setUp = ({ api }: Owner, given: object = {}) =>
  api.call('PUT', '/api/v1/sso/config', {
    provider: 'saml',
    saml: { entry_point: ENTRY, issuer: 'https://idp.test/metadata', certificate: idp.cert },
    ...given,
  });

const authorize = ({ tenant }: Owner): string => `${app.url}/api/v1/auth/sso/authorize?tenant_slug=${tenant.slug}`;
const callback = (): string => `${app.url}/api/v1/auth/sso/callback`;

/** A browser at the identity provider, with what it has been asked. */
async function begin(by: Owner = owner, browser = new Browser()) {
  const page = await browser.open(authorize(by));
  const request = requestIn(page.location as string);
  const answer = (given: Partial<SamlFields> = {}): Record<string, string> => ({
    SAMLResponse: base64(
      signed(
        responseXml(
          samlFields({ recipient: request.acs, audience: request.issuer, inResponseTo: request.id, ...given }),
        ),
        idp,
      ),
    ),
    RelayState: request.relayState,
  });
  return { browser, page, request, answer };
}

/** Posts the answer from the provider's page, and goes on as a browser does. */
async function post(browser: Browser, form: Record<string, string>): Promise<Record<string, string>> {
  const page = await browser.open(callback(), form, true);
  return page.location?.startsWith(FRONTEND) === true ? outcomeOf(page.location) : finish(browser, page);
}

async function finish(browser: Browser, { location, text }: Page): Promise<Record<string, string>> {
  if (location === null) throw new Error(text);
  const { location: last } = await browser.open(location);
  return outcomeOf(last as string);
}

const members = async ({ api }: Owner): Promise<{ email: string; role: string }[]> =>
  (await api.call<{ data: { email: string; role: string }[] }>('GET', '/api/v1/team/members')).data;

describe('sign-in by SAML', () => {
  it('sends the browser to the entry point with a request and a cookie for its return alone', async () => {
    const { page, request } = await begin();
    expect(page.status).toBe(302);
    expect(page.location).toMatch(/^https:\/\/idp\.test\/sso\?idpid=C1&x=2&SAMLRequest=/);
    expect(request).toMatchObject({
      acs: callback(),
      issuer: `${app.url}/api/v1/auth/sso/metadata?tenant_slug=${owner.tenant.slug}`,
      relayState: owner.tenant.id,
    });
    expect(request.xml).toContain(`Destination="${ENTRY.replace('&', '&amp;')}"`);
    expect(page.cookies).toEqual([
      expect.stringMatching(
        /^everstep_sign_in_[0-9a-f]{16}=[\w.-]+; Path=\/api\/v1\/auth\/sso\/callback; Max-Age=600; HttpOnly; SameSite=Lax$/,
      ),
    ]);
  });

  it('makes a member, whom the token in the fragment names, and finds the same member the next time', async () => {
    const { browser, answer } = await begin();
    const { token, ...others } = await post(browser, answer({ nameId: 'New@Example.com' }));
    expect(others).toEqual({});
    const me = await fetch(`${app.url}/api/v1/me`, { headers: { authorization: `Bearer ${token}` } });
    expect(await me.json()).toMatchObject({ email: 'new@example.com', role: 'member', sign_in: ['saml'] });
    const again = await begin();
    expect(await post(again.browser, again.answer({ nameId: 'New@Example.com' }))).toHaveProperty('token');
    expect((await members(owner)).filter(({ email }) => email === 'new@example.com')).toHaveLength(1);
  });

  it('writes nothing to the console', async () => {
    const methods = (['log', 'info', 'warn', 'error'] as const).map((name) => jest.spyOn(console, name));
    const { browser, answer } = await begin();
    expect(await post(browser, answer())).toHaveProperty('token');
    await fetch(`${app.url}/api/v1/auth/sso/metadata?tenant_slug=${owner.tenant.slug}`);
    for (const method of methods) expect(method).not.toHaveBeenCalled();
  });

  it('is on record before it happens, with address and person', async () => {
    const { browser, answer } = await begin();
    await post(browser, answer({ nameId: 'kept@example.com' }));
    expect((await eventsOf(owner))[0]).toMatchObject({
      action: 'sso.sign_in',
      actor: { email: 'kept@example.com', ip: '127.0.0.1' },
      target: { name: 'kept@example.com' },
      after: { via: 'saml', role: 'member' },
    });
  });

  it('signs an owner in to their own account, and keeps the role', async () => {
    const { browser, answer } = await begin();
    const { token } = await post(browser, answer({ nameId: owner.user.email }));
    const tenant = await fetch(`${app.url}/api/v1/sso/config`, { headers: { authorization: `Bearer ${token}` } });
    expect(tenant.status).toBe(200);
  });

  it('follows the groups at each sign-in, up and down, and never to owner', async () => {
    const mapped = await newOwner(app);
    await setUp(mapped, {
      default_role: null,
      role_mapping: { claim: 'groups', values: { ops: 'admin', staff: 'member' } },
    });
    const as = async (groups: string[]) => {
      const { browser, answer } = await begin(mapped);
      return post(browser, answer({ nameId: 'ann@groups.test', attributes: { groups } }));
    };
    const role = async () => (await members(mapped)).find(({ email }) => email === 'ann@groups.test')?.role;
    expect(await as(['visitors', 'owner'])).toMatchObject({ error: 'sign_in_refused' });
    expect(await role()).toBeUndefined();
    expect(await as(['staff'])).toHaveProperty('token');
    expect(await role()).toBe('member');
    expect(await as(['staff', 'ops'])).toHaveProperty('token');
    expect(await role()).toBe('admin');
    expect(await as(['staff'])).toHaveProperty('token');
    expect(await role()).toBe('member');
    expect(await as([])).toMatchObject({ error: 'sign_in_refused' });
  });
});

describe('what a SAML sign-in does not take', () => {
  it('an answer a second time, neither posted nor finished', async () => {
    const { browser, answer } = await begin();
    const form = answer();
    const first = await browser.open(callback(), form, true);
    // A thief has copied both cookie and answer.
    const twice = await browser.open(callback(), form, true);
    expect(await finish(browser, first)).toHaveProperty('token');
    expect(await finish(browser, first)).toMatchObject({ error: 'sign_in_failed' });
    expect(await finish(browser, twice)).toMatchObject({ error: 'sign_in_failed' });
  });

  it('an answer a second time, when the browser kept a cookie that it should have dropped', async () => {
    const { page, answer } = await begin();
    const cookie = page.cookies[0]?.split(';')[0] as string;
    const posted = await new Browser().open(callback(), answer(), true);
    const visit = async (): Promise<Record<string, string>> => {
      const response = await fetch(posted.location as string, { headers: { cookie }, redirect: 'manual' });
      return outcomeOf(response.headers.get('location') as string);
    };
    expect(await visit()).toHaveProperty('token');
    expect(await visit()).toEqual({
      error: 'sign_in_failed',
      error_description: 'This sign-in was finished before; start again',
    });
  });

  it('an answer to the request of another browser', async () => {
    const { answer } = await begin();
    const victim = await begin();
    expect(await post(victim.browser, answer())).toMatchObject({ error: 'sign_in_failed' });
    expect(await post(new Browser(), answer())).toMatchObject({ error: 'sign_in_failed' });
  });

  it('an answer to no request', async () => {
    const { browser, answer } = await begin();
    expect(await post(browser, answer({ inResponseTo: '_made-up' }))).toMatchObject({ error: 'sign_in_failed' });
    const { SAMLResponse } = answer() as { SAMLResponse: string };
    expect(await post(browser, { SAMLResponse })).toMatchObject({ error: 'sign_in_failed' });
    expect(await post(browser, { RelayState: owner.tenant.id })).toMatchObject({ error: 'sign_in_failed' });
  });

  it('an answer for one tenant at another, though both have the same identity provider', async () => {
    const other = await newOwner(app);
    await setUp(other);
    const here = await begin();
    const there = await begin(other, here.browser);
    const outcome = await post(here.browser, { ...here.answer(), RelayState: other.tenant.id });
    expect(outcome.error_description).toContain('for another audience');
    const mixed = there.answer({ audience: here.request.issuer });
    expect(await post(here.browser, mixed)).toMatchObject({ error: 'sign_in_failed' });
  });

  it('an answer after the provider was switched off', async () => {
    const late = await begin();
    const form = late.answer();
    await owner.api.call('PUT', '/api/v1/sso/config', {
      provider: 'saml',
      enabled: false,
      saml: { entry_point: ENTRY, issuer: 'https://idp.test/metadata', certificate: idp.cert },
    });
    expect(await post(late.browser, form)).toMatchObject({ error: 'not_found' });
    await setUp(owner);
  });

  it.each([
    ['no base64', { SAMLResponse: '%%%%', RelayState: 'x' }],
    ['an unknown tenant', { SAMLResponse: base64('<a/>'), RelayState: 'unknown' }],
    ['an operator', { SAMLResponse: base64('<a/>'), RelayState: '{"$gt":""}' }],
    ['nothing', {}],
  ])('%s', async (_, form) => {
    const page = await new Browser().open(callback(), form as Record<string, string>, true);
    expect(page.status).toBe(303);
    expect(outcomeOf(page.location as string)).toHaveProperty('error');
  });

  it('a message that is not a form, a field that is there twice, a forged answer', async () => {
    const post = (body: string, type: string) =>
      fetch(callback(), { method: 'POST', body, headers: { 'content-type': type }, redirect: 'manual' });
    expect((await post('{}', 'application/json')).status).toBe(415);
    expect((await post('SAMLResponse=a&SAMLResponse=b', 'application/x-www-form-urlencoded')).status).toBe(400);
    const forged = await new Browser().open(`${callback()}?answer=0123456789abcdef.AAAA`);
    expect(outcomeOf(forged.location as string)).toMatchObject({ error: 'sign_in_failed' });
  });
});

describe('metadata', () => {
  it('names entity, consumer service and what is required, and does not show which tenants exist', async () => {
    const read = async (slug: string) => {
      const response = await fetch(`${app.url}/api/v1/auth/sso/metadata?tenant_slug=${slug}`);
      expect(response.headers.get('content-type')).toBe('application/samlmetadata+xml; charset=utf-8');
      return (await response.text()).replaceAll(slug, 'SLUG');
    };
    const known = await read(owner.tenant.slug);
    expect(known).toContain(`entityID="${app.url}/api/v1/auth/sso/metadata?tenant_slug=SLUG"`);
    expect(known).toContain(`Location="${callback()}"`);
    expect(known).toContain('WantAssertionsSigned="true"');
    expect(await read('no-such-tenant')).toBe(known);
  });

  it('stays XML whatever the slug is', async () => {
    const slug = encodeURIComponent('"><evil/>');
    const response = await fetch(`${app.url}/api/v1/auth/sso/metadata?tenant_slug=${slug}`);
    expect(await response.text()).not.toContain('<evil');
    expect((await fetch(`${app.url}/api/v1/auth/sso/metadata`)).status).toBe(400);
  });
});

describe('two nodes with one database', () => {
  it('finish what was begun at the other one, and between them once', async () => {
    const database = await openTestDatabase();
    const env = { BASE_URL: 'http://flows.test' };
    const nodes = await Promise.all([startHouse(env, { database }), startHouse(env, { database })]);
    try {
      const [one, other] = nodes as [TestApp, TestApp];
      const own = await newOwner(one);
      await setUp(own);
      const at = (node: TestApp, url: string): string => url.replace('http://flows.test', node.url);
      const begun = await new Browser().open(`${one.url}/api/v1/auth/sso/authorize?tenant_slug=${own.tenant.slug}`);
      const { id, acs, issuer, relayState } = requestIn(begun.location as string);
      const xml = signed(responseXml(samlFields({ recipient: acs, audience: issuer, inResponseTo: id })), idp);
      const form = { SAMLResponse: base64(xml), RelayState: relayState };
      const posted = await new Browser().open(at(other, acs), form, true);
      const headers = { cookie: begun.cookies[0]?.split(';')[0] as string };
      const ends = await Promise.all(
        [one, other, one, other].map((node) =>
          fetch(at(node, posted.location as string), { headers, redirect: 'manual' }),
        ),
      );
      const outcomes = ends.map((end) => outcomeOf(end.headers.get('location') as string));
      expect(outcomes.filter(({ token }) => token !== undefined)).toHaveLength(1);
      expect(outcomes.filter(({ error }) => error === 'sign_in_failed')).toHaveLength(3);
    } finally {
      await Promise.all(nodes.map((node) => node.close()));
      await database.close();
    }
  });
});
