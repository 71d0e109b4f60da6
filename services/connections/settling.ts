import { sameText } from '../../lib/crypto';
import type { ServiceContext } from '../../mixins/service';
import type { ConnectionDoc } from './models';
import type { ConnectionParts } from './parts';
import type { Settled } from './renewal/renewer';

export type { Settled } from './renewal/renewer';

/**
 * A connection whose token counts, as far as anybody knows. `refused`: a token that the provider takes no more; it is
 * renewed unless somebody has done so since. @throws AppError unavailable
 */
export async function settleFor(
  parts: ConnectionParts,
  connection: ConnectionDoc,
  refused: string | undefined,
  log: ServiceContext['log'],
): Promise<Settled> {
  const known = refused === undefined ? undefined : parts.vault.open(connection).credentials.access_token;
  const isSame = refused !== undefined && known !== undefined && sameText(known, refused);
  const settled = await parts.renewer.settle(
    connection,
    isSame ? { kind: 'newer', than: connection.generation } : { kind: 'any' },
    log,
  );
  if (isSame && settled.kind === 'revoked' && settled.connection.status === 'active')
    await note(parts, settled.connection);
  return settled;
}

/** Of a token that nobody can renew, people should see why steps fail. It counts again when the provider takes it again. */
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
