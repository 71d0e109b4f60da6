import { AppError } from '../../lib/errors';
import { randomId } from '../../lib/ids';
import { auditedBy } from '../../mixins/audit';
import type { ActionContext } from '../../mixins/service';
import { credentialsOf } from './fields';
import { connectorNamed } from './manual-connectors';
import type { ConnectionDoc } from './models';
import type { ConnectionParts } from './parts';
import { assertName, type Fresh } from './store';
import { targetOf } from './view';

type Creating = ActionContext<'connections.create'>;

const MAX_CREDENTIALS_BYTES = 64 * 1024;

/**
 * Creates a connection from entered credentials, after a live call has shown that the provider accepts them.
 * @throws AppError invalid_request for credentials that are malformed, or that the provider refuses; conflict
 */
export async function createManual(parts: ConnectionParts, ctx: Creating): Promise<ConnectionDoc> {
  const { app, store, vault } = parts;
  const { params, tenantId, principal } = ctx;
  const { name } = params;
  const connector = await connectorNamed(ctx, params.connector);
  const credentials = credentialsOf(connector.fields, params.credentials);
  if (Buffer.byteLength(JSON.stringify(credentials)) > MAX_CREDENTIALS_BYTES) {
    throw new AppError('invalid_request', `The 'credentials' have more than ${MAX_CREDENTIALS_BYTES} bytes`);
  }
  if (name !== undefined) {
    assertName(name);
    if ((await store.find(tenantId, name)) !== null) {
      throw new AppError('conflict', `There is a connection named "${name}"; choose another name`);
    }
  }
  await store.assertRoom(tenantId);
  const last_error =
    connector.builtIn === null ? null : await parts.connectionTests.of(tenantId, connector.builtIn, credentials);
  const _id = randomId();
  const fresh: Fresh = {
    _id,
    ...vault.seal(tenantId, _id, { credentials, token_type: '', refresh_token: null }),
    kind: 'manual',
    connector: connector.name,
    account: null,
    subject: null,
    scopes: [],
    expires_at: null,
    lifetime_ms: null,
    renewable: false,
    last_error,
    created_by: principal?.user_id ?? 'service',
    created_at: new Date(app.clock.now()),
  };
  const wanted = name ?? connector.name;
  const event = {
    action: 'connection.create',
    target: targetOf({ _id, name: wanted }),
    after: { kind: 'manual', connector: connector.name, name: wanted, fields: Object.keys(credentials) },
  };
  const made = await app.audit.audited(auditedBy(ctx), event, () =>
    name === undefined ? store.insertNear(tenantId, wanted, fresh) : store.insert(tenantId, name, fresh),
  );
  await parts.stale(tenantId);
  return made;
}
