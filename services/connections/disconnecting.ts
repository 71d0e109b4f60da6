import type { OAuthWord } from '../../lib/oauth-config';
import { auditedBy } from '../../mixins/audit';
import type { ActionContext } from '../../mixins/service';
import type { ConnectionDoc } from './models';
import type { Revocation } from './oauth/client';
import type { ConnectionParts } from './parts';
import { recordOf, targetOf } from './view';

/**
 * Removes a connection. Steps cannot use it from the first write on; what the provider gave is given back as far as it
 * can be, and how that went is on record. @throws AppError not_found
 */
export async function disconnect(parts: ConnectionParts, ctx: ActionContext<'connections.remove'>): Promise<void> {
  const { app, store } = parts;
  const own = store.of(ctx.tenantId);
  const found = await store.get(ctx.tenantId, ctx.params.id);
  const acting = auditedBy(ctx);
  const target = targetOf(found);
  const at_provider = await app.audit.audited(
    acting,
    { action: 'connection.delete', target, before: recordOf(found) },
    async () => {
      // A renewal under way finds its generation gone, and gives back what it was given.
      const ended = await own.update({ _id: found._id }, { $set: { status: 'revoked' }, $inc: { generation: 1 } });
      parts.stale(ctx.tenantId);
      if (ended === null) return null;
      const outcome = await giveBack(parts, ended);
      // An account that was connected again meanwhile stays: its tokens are others.
      await own.remove({ _id: found._id, generation: ended.generation });
      return outcome;
    },
  );
  if (at_provider !== null)
    await app.audit.note(acting, { action: 'connection.revoke', target, after: { at_provider } });
}

/** Null where there is nothing to give back. */
async function giveBack({ vault, clients }: ConnectionParts, connection: ConnectionDoc): Promise<Revocation | null> {
  if (connection.kind === 'manual') return null;
  const { credentials, refresh_token } = vault.open(connection);
  const { access_token: accessToken = '' } = credentials;
  return clients[connection.connector as OAuthWord].revoke({ accessToken, refreshToken: refresh_token });
}
