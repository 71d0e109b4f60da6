import { sameText } from '../../lib/crypto';
import type { ServiceContext } from '../../mixins/service';
import type { ConnectionDoc } from './models';
import type { ConnectionParts } from './parts';
import type { RefreshResult } from './token-refresh/token-refresher';

export type { RefreshResult } from './token-refresh/token-refresher';

/**
 * Returns a connection with a token that is not known to be invalid. `refused`: a token that the provider rejected; it is
 * refreshed unless that has happened since. @throws AppError unavailable
 */
export async function refreshIfNeeded(
  parts: ConnectionParts,
  connection: ConnectionDoc,
  refused: string | undefined,
  log: ServiceContext['log'],
): Promise<RefreshResult> {
  const known = refused === undefined ? undefined : parts.vault.open(connection).credentials.access_token;
  const isSame = refused !== undefined && known !== undefined && sameText(known, refused);
  const result = await parts.tokenRefresher.refresh(
    connection,
    isSame ? { kind: 'newer', than: connection.generation } : { kind: 'any' },
    log,
  );
  if (isSame && result.kind === 'revoked' && result.connection.status === 'active')
    await note(parts, result.connection);
  return result;
}

/** Records the rejection of a token that cannot be refreshed, so that users see why steps fail. */
async function note({ app, store }: ConnectionParts, { _id, tenant_id, generation }: ConnectionDoc): Promise<void> {
  await store.of(tenant_id).update(
    { _id, generation },
    {
      $set: {
        last_error: 'The provider has refused the access token; connect the account again',
        updated_at: new Date(app.clock.now()),
      },
    },
  );
}
