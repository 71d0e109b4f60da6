import { AppError } from '../../../lib/errors';
import { type OAuthProvider } from '../../../lib/oauth-config';
import { auditedBy } from '../../../mixins/audit';
import { baseUrlFor } from '../../../lib/base-url';
import type { Handlers } from '../../../mixins/service';
import { connectOrReconnect } from '../connect-account';
import { findClaim, takeClaim } from '../claims';
import { authorizePath, checkedScopes } from '../oauth/flow';
import type { ProviderProfile } from '../oauth/provider-profile';
import { TICKET_LIFETIME_MS } from '../oauth/requests';
import { scopesFor } from '../manual-connectors';
import type { ConnectionDeps } from '../deps';
import { assertName } from '../store';
import { statusOf, viewOf } from '../view';

type Actions = Pick<Handlers<'connections'>, 'oauth_status' | 'oauth_start' | 'claim'>;

/** The scopes to request: the given ones, or those that the provider's connectors need. @throws AppError invalid_request */
export const defaultScopes = (
  provider: OAuthProvider,
  { ownScopes }: Pick<ProviderProfile, 'ownScopes'>,
  given: readonly string[] | undefined,
): string[] => {
  const scopes = checkedScopes(given === undefined || given.length === 0 ? scopesFor(provider) : given);
  return [...new Set([...ownScopes, ...scopes])];
};

/** Checks the name before the user is sent to the provider. @throws AppError invalid_request, conflict */
export async function assertNameUsable(
  { app, store }: ConnectionDeps,
  tenantId: string,
  { name, connector }: { readonly name: string; readonly connector: string },
): Promise<void> {
  assertName(name);
  const known = await store.find(tenantId, name);
  if (known === null) return;
  // An account may be reconnected under its name. The callback checks that it is the same account.
  const isReconnect = known.kind === 'oauth' && known.connector === connector;
  if (isReconnect && (known.subject !== null || statusOf(known, app.clock.now()) !== 'active')) return;
  throw new AppError('conflict', `A connection named "${name}" exists; choose another name`);
}

/** Actions that start and finish OAuth flows. */
export const flowActions = (deps: ConnectionDeps): Actions => {
  const { app, flow, clients, store } = deps;

  return {
    oauth_status() {
      const status = (word: OAuthProvider) => {
        const { client, missing } = app.config.oauth[word];
        return { configured: client !== null, missing: [...missing] };
      };
      return { providers: { suite: status('suite'), notes: status('notes'), chat: status('chat') } };
    },
    async oauth_start(ctx) {
      const { params, tenantId, principal } = ctx;
      const { provider, name, return_to = '' } = params;
      clients[provider].assertConfigured();
      const scopes = defaultScopes(provider, clients[provider].profile, params.scopes);
      if (name !== undefined) await assertNameUsable(deps, tenantId, { name, connector: provider });
      await store.assertBelowLimit(tenantId);
      const connection = {
        tenant_id: tenantId,
        actor: auditedBy(ctx).actor,
        created_by: principal?.user_id ?? 'service',
        name: name ?? null,
        return_to,
      };
      const now = app.clock.now();
      const ticket = flow.requests.ticket({ provider, wish: connection, scopes }, now);
      const base = baseUrlFor(app.config, params.origin ?? undefined);
      return {
        ticket,
        authorize_url: `${base}${authorizePath(provider)}?ticket=${ticket}`,
        expires_at: new Date(now + TICKET_LIFETIME_MS).toISOString(),
      };
    },
    async claim(ctx) {
      const { params, tenantId, principal } = ctx;
      const { code, name = null } = params;
      const claim = await findClaim(deps, code);
      if (name !== null) await assertNameUsable(deps, tenantId, { name, connector: claim.provider });
      await store.assertBelowLimit(tenantId);
      const given = await takeClaim(deps, claim);
      const owner = { acting: auditedBy(ctx), createdBy: principal?.user_id ?? 'service', name };
      return viewOf(await connectOrReconnect(deps, owner, given), app.clock.now());
    },
  };
};
