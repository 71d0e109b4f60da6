import { AppError } from '../../../lib/errors';
import { OAUTH_WORDS, type OAuthWord } from '../../../lib/oauth-config';
import { auditedBy } from '../../../mixins/audit';
import { baseUrlFor } from '../../../mixins/base-url';
import type { ServiceDefinition } from '../../../mixins/service';
import { adopt } from '../adopting';
import { findClaim, takeClaim } from '../claims';
import { TICKET_LIFETIME_MS } from '../oauth/requests';
import type { ConnectionParts } from '../parts';
import { assertName } from '../store';
import { statusOf, viewOf } from '../view';
import { nameParam } from './params';

type Menu = Pick<ServiceDefinition<'connections'>['actions'], 'oauth_status' | 'oauth_start' | 'claim'>;

/** Segments of letters, digits and a few signs: nothing of it leads to another host, or upwards. */
const RETURN_TO = /^(?:\/[\w~-][\w.~-]*)*\/?$/;

/** What people do about flows that a browser goes through. */
export const flowMenu = (parts: ConnectionParts): Menu => {
  const { app, flow, clients, store } = parts;

  /** Better to know before the person goes to the provider. @throws AppError invalid_request, conflict */
  const assertFree = async (tenantId: string, name: string, provider: OAuthWord): Promise<void> => {
    assertName(name);
    const known = await store.find(tenantId, name);
    if (known === null) return;
    // An account is connected again under its name; whether it is the same one is seen afterwards.
    const again = known.kind === 'oauth' && known.connector === provider;
    if (again && (known.subject !== null || statusOf(known, app.clock.now()) !== 'active')) return;
    throw new AppError('conflict', `There is a connection named "${name}"; choose another name`);
  };

  return {
    oauth_status: {
      access: 'member',
      summary: 'Which OAuth providers can be used, and what the operator has to set for the others',
      params: {},
      handle() {
        const status = (word: OAuthWord) => {
          const { client, missing } = app.config.oauth[word];
          return { configured: client !== null, missing: [...missing] };
        };
        return { providers: { suite: status('suite'), notes: status('notes'), chat: status('chat') } };
      },
    },
    oauth_start: {
      access: 'member',
      summary: 'Begins a flow: an address for a browser, good once',
      params: {
        provider: { type: 'enum', values: [...OAUTH_WORDS] },
        name: nameParam,
        scopes: { type: 'array', items: { type: 'string', min: 1, max: 300 }, max: 100, optional: true },
        return_to: { type: 'string', max: 300, pattern: RETURN_TO, optional: true },
        origin: { type: 'string', max: 300, optional: true, nullable: true },
      },
      async handle(ctx) {
        const { params, tenantId, principal } = ctx;
        const { provider, name, return_to = '' } = params;
        clients[provider].assertConfigured();
        const scopes = flow.scopesOf(provider, params.scopes);
        if (name !== undefined) await assertFree(tenantId, name, provider);
        await store.assertRoom(tenantId);
        const wish = {
          tenant_id: tenantId,
          actor: auditedBy(ctx).actor,
          created_by: principal?.user_id ?? 'service',
          name: name ?? null,
          return_to,
        };
        const now = app.clock.now();
        const ticket = flow.requests.ticket({ provider, wish, scopes }, now);
        const base = baseUrlFor(app.config, params.origin ?? undefined);
        return {
          ticket,
          authorize_url: `${base}/api/v1/oauth/${provider}/authorize?ticket=${ticket}`,
          expires_at: new Date(now + TICKET_LIFETIME_MS).toISOString(),
        };
      },
    },
    claim: {
      access: 'member',
      summary: 'Takes what a flow without a ticket has brought, once',
      params: { code: { type: 'string', min: 1, max: 200 }, name: nameParam },
      async handle(ctx) {
        const { params, tenantId, principal } = ctx;
        const { code, name = null } = params;
        const claim = await findClaim(parts, code);
        if (name !== null) await assertFree(tenantId, name, claim.provider);
        await store.assertRoom(tenantId);
        const given = await takeClaim(parts, claim);
        const adopter = { acting: auditedBy(ctx), createdBy: principal?.user_id ?? 'service', name };
        return viewOf(await adopt(parts, adopter, given), app.clock.now());
      },
    },
  };
};
