import { randomBytes } from 'node:crypto';
import type { BrowserVisit, SsoTestReport, SsoTestView } from '../../../contracts/auth/sso';
import { REQUEST_LIFETIME_MS } from '../../../lib/browser-requests';
import { sha256 } from '../../../lib/crypto';
import { AppError, errorCode, errorMessage, ERRORS } from '../../../lib/errors';
import { frontendRedirect } from '../../../lib/frontend-redirect';
import { randomId } from '../../../lib/ids';
import { SealedTexts } from '../../../lib/sealed-text';
import { ofTenant } from '../../../lib/tenant';
import type { AuthDeps } from '../deps';
import { mappedGroupsOf } from '../scim/roles';
import { type AuthenticatedUser, userOfClaims } from './authenticated-user';
import type { SsoConfigDoc, SsoTestDoc } from './models';
import { userOfAssertion } from './saml/authenticated-user';
import type { ProviderRedirect, SignOn } from './sign-on';
import { failedReport, type KnownUser, shownAssertion, shownClaims, userReport } from './test-report';
import { callbackUrl } from './urls';

const MAX_TESTS = 20;
const POSTED_LIFETIME_MS = 60_000;

type Problem = SsoTestReport['problems'][number];

/** Sign-ins by which owners see what their provider sends. They go the way of a real one, and end in a report. */
export class SignInTester {
  readonly #sealed: SealedTexts;

  constructor(
    private readonly deps: AuthDeps,
    private readonly signOn: SignOn,
  ) {
    this.#sealed = new SealedTexts(deps.app.keyring);
  }

  /** @throws AppError not_found without settings, conflict with too many tests */
  async start(tenantId: string, userId: string): Promise<SsoTestView & { url: string }> {
    const { tenant, base } = await this.signOn.anyById(tenantId);
    const tests = ofTenant(this.deps.models.ssoTests, tenantId);
    const now = this.deps.app.clock.now();
    if ((await tests.count({ expires_at: { $gt: new Date(now) } })) >= MAX_TESTS)
      throw new AppError(
        'conflict',
        `A workspace has at most ${MAX_TESTS} tests in ten minutes; wait for some minutes`,
      );
    const token = randomBytes(32).toString('base64url');
    const test = await tests.insert({
      _id: randomId(),
      user_id: userId,
      token_hash: sha256(token),
      created_at: new Date(now),
      expires_at: new Date(now + REQUEST_LIFETIME_MS),
      begun_at: null,
      request_id: null,
      posted: null,
      report: null,
      finished_at: null,
    });
    const query = new URLSearchParams({ tenant_slug: tenant.slug, test: token });
    return { ...viewOf(test, now), url: `${base}/api/v1/auth/sso/authorize?${query}` };
  }

  /** @throws AppError not_found, for others than who has started it, too */
  async view(tenantId: string, userId: string, id: string): Promise<SsoTestView> {
    const found = await ofTenant(this.deps.models.ssoTests, tenantId).findOne({ _id: id, user_id: userId });
    if (found === null) throw new AppError('not_found', 'There is no such test, or it was more than ten minutes ago');
    return viewOf(found, this.deps.app.clock.now());
  }

  /** Sends the browser to the provider, once; to the front end where the provider cannot be used. @throws AppError sign_in_failed */
  async begin(token: string): Promise<ProviderRedirect | { readonly location: string; readonly cookie: null }> {
    const { models, app } = this.deps;
    const now = new Date(app.clock.now());
    const unused = { token_hash: sha256(token), begun_at: null, expires_at: { $gt: now } };
    const test = await models.ssoTests.findOneAndUpdate(unused, { $set: { begun_at: now } }).lean();
    if (test === null)
      throw new AppError('sign_in_failed', 'This test was begun before or is too old; start another one');
    try {
      const redirect = await this.signOn.begin(await this.signOn.anyById(test.tenant_id), test._id);
      await models.ssoTests.updateOne({ _id: test._id }, { $set: { request_id: redirect.id } });
      return redirect;
    } catch (error) {
      const report = failedReport(
        problemOf(error, 'provider', 'Check the address of the provider, and that it can be reached from here'),
      );
      return { location: await this.#finish(test, report), cookie: null };
    }
  }

  /** Finishes a test with an OpenID provider. Returns where the browser goes. */
  async finishOidc(visit: BrowserVisit, state: string, id: string): Promise<string> {
    const request = this.signOn.requests.find('oidc', state, visit, this.deps.app.clock.now());
    const test = await this.#open(id, request.tenant_id);
    try {
      const { config } = await this.signOn.anyById(request.tenant_id);
      const claims = await this.signOn.claimsOf(config, request, visit);
      const report = await this.#reportOn(config, shownClaims(claims), (claim) => userOfClaims(claims, claim));
      return await this.#finish(test, report);
    } catch (error) {
      return this.#finish(test, failedReport(problemOf(error, 'answer of the provider', OIDC_ACTION)));
    }
  }

  /** Keeps what a SAML provider has had the browser post. Returns where the browser goes to show that it has begun the test. */
  async keepPosted(tenantId: string, id: string, message: string): Promise<string> {
    const test = await this.#open(id, tenantId);
    const known = await this.signOn.anyById(tenantId);
    const { posted, request } = await this.#posted(known, message);
    if (request !== null && request !== test.request_id) throw notOpen();
    await ofTenant(this.deps.models.ssoTests, tenantId).update({ _id: id, finished_at: null }, { $set: { posted } });
    const until = this.deps.app.clock.now() + POSTED_LIFETIME_MS;
    return `${callbackUrl(known.base)}?test=${this.#sealed.seal('saml test', { id, tenant_id: tenantId }, until)}`;
  }

  /** Finishes a test with a SAML provider, in the browser that has begun it. @throws AppError sign_in_failed */
  async finishSaml(visit: BrowserVisit, text: string): Promise<string> {
    const now = this.deps.app.clock.now();
    // Only `keepPosted` encrypts such texts.
    const sealed = this.#sealed.open('saml test', text, now) as { id: string; tenant_id: string } | null;
    if (sealed === null) throw notOpen();
    const test = await this.#open(sealed.id, sealed.tenant_id);
    const request = this.signOn.requests.find('saml', test.request_id ?? '', visit, now);
    if (request.test_id !== test._id || test.posted === null) throw notOpen();
    return this.#finish(test, test.posted);
  }

  async #posted(
    known: Awaited<ReturnType<SignOn['anyById']>>,
    message: string,
  ): Promise<{ posted: SsoTestReport; request: string | null }> {
    try {
      const assertion = await this.signOn.assertionOf(known, message);
      const posted = await this.#reportOn(known.config, shownAssertion(assertion), (name) =>
        userOfAssertion(assertion, name),
      );
      return { posted, request: assertion.inResponseTo };
    } catch (error) {
      return { posted: failedReport(problemOf(error, 'SAML response', SAML_ACTION)), request: null };
    }
  }

  async #reportOn(
    config: SsoConfigDoc,
    claims: SsoTestReport['claims'],
    userOf: (claim: string | null) => AuthenticatedUser,
  ): Promise<SsoTestReport> {
    let user: AuthenticatedUser;
    try {
      user = userOf(config.role_mapping?.claim ?? null);
    } catch (error) {
      return failedReport(problemOf(error, 'user', 'Change what the provider sends, then test again'), claims);
    }
    return userReport(config, claims, await this.#known(config, user));
  }

  async #known(config: SsoConfigDoc, { subject, email, values }: AuthenticatedUser): Promise<KnownUser> {
    const { models, membership, memberQuota } = this.deps;
    const users = ofTenant(models.users, config.tenant_id);
    const identities = { $elemMatch: { via: config.provider, subject } };
    const found = (await users.findOne({ identities })) ?? (await users.findOne({ email }));
    const member = found === null ? null : await membership.find(config.tenant_id, found._id);
    const hasRoom = await memberQuota.check(await this.deps.tenantOf(config.tenant_id)).then(
      () => true,
      (error: unknown) => {
        if (errorCode(error) === 'quota_exceeded') return false;
        throw error;
      },
    );
    return {
      email: member?.user.email ?? email,
      account: member === null ? null : { role: member.role, active: member.user.deactivated_at === undefined },
      claimed: values,
      provisioned: member === null ? [] : await mappedGroupsOf(models, config, member.user._id),
      hasRoom,
    };
  }

  async #open(id: string, tenantId: string): Promise<SsoTestDoc> {
    const open = { _id: id, finished_at: null, expires_at: { $gt: new Date(this.deps.app.clock.now()) } };
    const found = await ofTenant(this.deps.models.ssoTests, tenantId).findOne(open);
    if (found === null) throw notOpen();
    return found;
  }

  async #finish({ _id, tenant_id }: SsoTestDoc, report: SsoTestReport): Promise<string> {
    const finished_at = new Date(this.deps.app.clock.now());
    const set = { report, posted: null, finished_at };
    await ofTenant(this.deps.models.ssoTests, tenant_id).update({ _id, finished_at: null }, { $set: set });
    return frontendRedirect(this.deps.app.config, { sso_test: _id }, `/single-sign-on?test=${_id}`);
  }
}

const OIDC_ACTION = 'Compare client id, client secret and redirect URI with those at the provider, then test again';
const SAML_ACTION =
  'Compare entity id, certificate, and the address for answers with those at the provider, then test again';

/** @throws the error itself when it is a fault of the service */
function problemOf(error: unknown, where: string, action: string): Problem {
  const code = errorCode(error);
  if (code === undefined || ERRORS[code].status === 500) throw error;
  return { severity: 'error', where, message: errorMessage(error), action };
}

const notOpen = (): AppError =>
  new AppError('sign_in_failed', 'This test is finished, too old, or was begun in another browser; start another one');

function viewOf(test: SsoTestDoc, now: number): SsoTestView {
  const { _id, created_at, expires_at, begun_at, finished_at, report } = test;
  const state =
    finished_at !== null
      ? 'finished'
      : expires_at.getTime() <= now
        ? 'expired'
        : begun_at === null
          ? 'waiting'
          : 'begun';
  return {
    id: _id,
    state,
    started_at: created_at.toISOString(),
    expires_at: expires_at.toISOString(),
    finished_at: finished_at?.toISOString() ?? null,
    report,
  };
}
