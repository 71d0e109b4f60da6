import { AppError } from '../../../lib/errors';
import { auditedBy } from '../../../mixins/audit';
import type { Handlers } from '../../../mixins/service';
import type { ConnectionDoc } from '../models';
import { disconnect } from '../disconnect';
import { getCredentials } from '../get-credentials';
import { pauseConnection, setLimits } from '../limits';
import { createManual } from '../manual';
import { testConnection } from '../test-connection';
import type { ConnectionDeps } from '../deps';
import type { RefreshResult } from '../token-refresh/token-refresher';
import { isoOrNull, targetOf, viewOf } from '../view';
import { pageOf } from '../../../lib/page';

type Actions = Pick<
  Handlers<'connections'>,
  | 'list'
  | 'create'
  | 'set_limits'
  | 'pause'
  | 'remove'
  | 'test'
  | 'used_by'
  | 'missing'
  | 'token'
  | 'refresh'
  | 'credentials'
>;

/** Actions that list, create, use, refresh and remove connections. */
export const accountActions = (deps: ConnectionDeps): Actions => {
  const { app, store, vault, tokenRefresher } = deps;

  return {
    async list({ params, tenantId }) {
      const now = app.clock.now();
      const page = pageOf(params);
      return { data: (await store.list(tenantId, page)).map((connection) => viewOf(connection, now)), ...page };
    },
    create: async (ctx) => viewOf(await createManual(deps, ctx), app.clock.now()),
    set_limits: async (ctx) => viewOf(await setLimits(deps, ctx), app.clock.now()),
    pause: (ctx) => pauseConnection(deps, ctx),
    remove: (ctx) => disconnect(deps, ctx),
    test: (ctx) => testConnection(deps, ctx),
    async used_by({ params: { id }, tenantId, call, folders }) {
      const { _id, name } = await store.get(tenantId, id);
      const found = await call('workflows.uses', { kind: 'connection', refs: [_id, name] }, { asServiceOf: tenantId });
      return { ...found, data: await folders.only(found.data, (row) => row.workflow_id) };
    },
    missing: async ({ params: { refs }, tenantId }) => ({ refs: await store.missing(tenantId, refs) }),
    async token(ctx) {
      const found = assertOAuth(await store.get(ctx.tenantId, ctx.params.id));
      const event = { action: 'connection.token', target: targetOf(found) };
      return app.audit.audited(auditedBy(ctx), event, async () => {
        const connection = assertUsable(found, await tokenRefresher.refresh(found, { kind: 'any' }, ctx.log));
        const { credentials, token_type } = vault.open(connection);
        const { access_token = '' } = credentials;
        return { access_token, token_type, expires_at: isoOrNull(connection.expires_at), scopes: connection.scopes };
      });
    },
    async refresh(ctx) {
      const found = assertOAuth(await store.get(ctx.tenantId, ctx.params.id));
      if (found.status === 'active' && !found.renewable) {
        throw new AppError(
          'conflict',
          `The provider of "${found.name}" issued no refresh token; connect the account again when the token expires`,
        );
      }
      const event = { action: 'connection.refresh', target: targetOf(found) };
      return app.audit.audited(auditedBy(ctx), event, async () => {
        const result = await tokenRefresher.refresh(found, { kind: 'newer', than: found.generation }, ctx.log);
        return viewOf(assertUsable(found, result), app.clock.now());
      });
    },
    credentials: (ctx) => getCredentials(deps, ctx),
  };
};

/** @throws AppError conflict for a manual connection */
function assertOAuth(connection: ConnectionDoc): ConnectionDoc {
  if (connection.kind === 'oauth') return connection;
  throw new AppError(
    'conflict',
    `"${connection.name}" is a manual connection: it has credentials instead of an access token`,
  );
}

/** @throws AppError not_found, connection_expired, connection_revoked */
function assertUsable({ _id, name }: ConnectionDoc, result: RefreshResult): ConnectionDoc {
  switch (result.kind) {
    case 'ready':
      return result.connection;
    case 'gone':
      throw new AppError('not_found', `Connection ${_id} not found`);
    case 'expired':
      throw new AppError('connection_expired', `The connection "${name}" has expired; connect the account again`);
    case 'revoked':
      throw new AppError(
        'connection_revoked',
        `The provider has revoked the connection "${name}"; connect the account again`,
      );
  }
}
