import { randomId } from '../../../lib/ids';
import { type ConnectionDoc, connectionModels } from '../../../services/connections/models';
import { Connections } from '../../../services/connections/store';
import { Vault } from '../../../services/connections/vault';
import type { TestApp } from '../app';

/** Fields of a stored connection; by default it has a token of the suite that does not expire. */
export interface StoredConnection {
  readonly name?: string;
  readonly connector?: string;
  readonly kind?: ConnectionDoc['kind'];
  readonly access_token?: string;
  readonly refresh_token?: string | null;
  readonly expires_at?: Date | null;
  readonly lifetime_ms?: number | null;
  readonly credentials?: Readonly<Record<string, string>>;
}

/** Inserts a connection into the database, as if it had been created long ago. */
export function storedConnection(
  { app }: Pick<TestApp, 'app'>,
  tenantId: string,
  given: StoredConnection = {},
): Promise<ConnectionDoc> {
  const { name = 'work', connector = 'suite', kind = 'oauth', refresh_token = null } = given;
  const { access_token = 'an access token', expires_at = null, lifetime_ms = null } = given;
  const _id = randomId();
  const credentials = given.credentials ?? { access_token };
  const store = new Connections(connectionModels(app.db));
  return store.insert(tenantId, name, {
    _id,
    ...new Vault(app.keyring).seal(tenantId, _id, { credentials, token_type: 'bearer', refresh_token }),
    kind,
    connector,
    account: null,
    subject: null,
    app_id: null,
    scopes: [],
    expires_at,
    lifetime_ms,
    renewable: refresh_token !== null,
    last_error: null,
    created_by: 'test',
    created_at: new Date(app.clock.now()),
  });
}
