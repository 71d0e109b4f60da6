import { AppError } from '../../../lib/errors';
import { auditedBy } from '../../../mixins/audit';
import type { Handlers } from '../../../mixins/service';
import type { ConnectionDoc } from '../models';
import { disconnect } from '../disconnect';
import { getCredentials } from '../get-credentials';
import { createManual } from '../manual';
import type { ConnectionParts } from '../parts';
import type { RefreshResult } from '../token-refresh/token-refresher';
import { isoOf, targetOf, viewOf } from '../view';
import { pageOf } from '../../../lib/page';

type Actions = Pick<
  Handlers<'connections'>,
  'list' | 'create' | 'remove' | 'used_by' | 'missing' | 'token' | 'refresh' | 'credentials'
>;

/** Actions that list, create, use, refresh and remove connections. */
export const accountActions = (parts: ConnectionParts): Actions => {
  const { app, store, vault, tokenRefresher } = parts;

  return {
    async list({ params, tenantId }) {
      const now = app.clock.now();
      const page = pageOf(params);
      return { data: (await store.list(tenantId, page)).map((connection) => viewOf(connection, now)), ...page };
    },
    create: async (ctx) => viewOf(await createManual(parts, ctx), app.clock.now()),
    remove: (ctx) => disconnect(parts, ctx),
    async used_by({ params: { id }, tenantId, call }) {
      const { _id, name } = await store.get(tenantId, id);
      return call('workflows.uses', { kind: 'connection', refs: [_id, name] }, { asServiceOf: tenantId });
    },
    missing: async ({ params: { refs }, tenantId }) => ({ refs: await store.missing(tenantId, refs) }),
    async token(ctx) {
      const found = oauthOnly(await store.get(ctx.tenantId, ctx.params.id));
      const event = { action: 'connection.token', target: targetOf(found) };
      return app.audit.audited(auditedBy(ctx), event, async () => {
        const connection = usable(found, await tokenRefresher.refresh(found, { kind: 'any' }, ctx.log));
        const { credentials, token_type } = vault.open(connection);
        const { access_token = '' } = credentials;
        return { access_token, token_type, expires_at: isoOf(connection.expires_at), scopes: connection.scopes };
      });
    },
    async refresh(ctx) {
      const found = oauthOnly(await store.get(ctx.tenantId, ctx.params.id));
      if (found.status === 'active' && !found.renewable) {
        throw new AppError('conflict', `The provider of "${found.name}" gives nothing to renew its token with`);
      }
      const event = { action: 'connection.refresh', target: targetOf(found) };
      return app.audit.audited(auditedBy(ctx), event, async () => {
        const result = await tokenRefresher.refresh(found, { kind: 'newer', than: found.generation }, ctx.log);
        return viewOf(usable(found, result), app.clock.now());
      });
    },
    credentials: (ctx) => getCredentials(parts, ctx),
  };
};

/** @throws AppError conflict for a manual connection */
function oauthOnly(connection: ConnectionDoc): ConnectionDoc {
  if (connection.kind === 'oauth') return connection;
  throw new AppError(
    'conflict',
    `"${connection.name}" is a manual connection: it has credentials, and no access token`,
  );
}

/** @throws AppError not_found, connection_expired, connection_revoked */
function usable({ _id, name }: ConnectionDoc, result: RefreshResult): ConnectionDoc {
  switch (result.kind) {
    case 'ready':
      return result.connection;
    case 'gone':
      throw new AppError('not_found', `There is no connection ${_id}`);
    case 'expired':
      throw new AppError('connection_expired', `The connection "${name}" has expired; connect the account again`);
    case 'revoked':
      throw new AppError(
        'connection_revoked',
        `The provider has revoked the connection "${name}"; connect the account again`,
      );
  }
}
