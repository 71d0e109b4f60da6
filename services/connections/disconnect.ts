import { auditedBy } from '../../mixins/audit';
import type { ActionContext } from '../../mixins/service';
import type { ConnectionDoc } from './models';
import type { Revocation } from './oauth/client';
import type { ConnectionDeps } from './deps';
import { auditOf, targetOf } from './view';
import { assertUnused } from '../../mixins/in-use';

/**
 * Removes a connection. From the first write on steps cannot use it. Its tokens are revoked if possible, and the audit log
 * records the result. @throws AppError not_found
 */
export async function disconnect(deps: ConnectionDeps, ctx: ActionContext<'connections.remove'>): Promise<void> {
  const { app, store } = deps;
  const own = store.scope(ctx.tenantId);
  const found = await store.get(ctx.tenantId, ctx.params.id);
  if (ctx.params.force !== true)
    await assertUnused(ctx, {
      kind: 'connection',
      refs: [found._id, found.name],
      what: `The connection "${found.name}"`,
    });
  const acting = auditedBy(ctx);
  const target = targetOf(found);
  const at_provider = await app.audit.audited(
    acting,
    { action: 'connection.delete', target, before: auditOf(found) },
    async () => {
      // A refresh in progress finds another generation, and revokes the tokens that it got.
      const ended = await own.update({ _id: found._id }, { $set: { status: 'revoked' }, $inc: { generation: 1 } });
      await deps.invalidateCredentials(ctx.tenantId);
      if (ended === null) return null;
      const outcome = await revokeAtProvider(deps, ended);
      // An account that was reconnected meanwhile is kept: it has other tokens.
      await own.remove({ _id: found._id, generation: ended.generation });
      return outcome;
    },
  );
  if (at_provider !== null)
    await app.audit.note(acting, { action: 'connection.revoke', target, after: { at_provider } });
}

/** The result of the revocation; null for a manual connection. */
async function revokeAtProvider(
  { vault, clientOf }: ConnectionDeps,
  connection: ConnectionDoc,
): Promise<Revocation | null> {
  if (connection.kind === 'manual') return null;
  const { credentials, refresh_token } = vault.open(connection);
  const { access_token: accessToken = '' } = credentials;
  const client = await clientOf(connection);
  return client === null ? 'not_supported' : client.revoke({ accessToken, refreshToken: refresh_token });
}
