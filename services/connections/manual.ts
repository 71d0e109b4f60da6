import { AppError } from '../../lib/errors';
import { randomId } from '../../lib/ids';
import { auditedBy } from '../../mixins/audit';
import type { ActionContext } from '../../mixins/service';
import { limitsOf } from './limits';
import { parseCredentials } from './fields';
import { connectorNamed } from './manual-connectors';
import type { ConnectionDoc } from './models';
import type { ConnectionDeps } from './deps';
import { assertName, type NewConnection } from './store';
import { targetOf } from './view';

type CreateContext = ActionContext<'connections.create'>;

const MAX_CREDENTIALS_BYTES = 64 * 1024;

/**
 * Creates a connection from entered credentials, after a live call has shown that the provider accepts them.
 * @throws AppError invalid_request for credentials that are malformed, or that the provider rejects; conflict
 */
export async function createManual(deps: ConnectionDeps, ctx: CreateContext): Promise<ConnectionDoc> {
  const { app, store, vault } = deps;
  const { params, tenantId, principal } = ctx;
  const { name } = params;
  const connector = await connectorNamed(ctx, params.connector);
  const credentials = parseCredentials(connector.fields, params.credentials);
  if (Buffer.byteLength(JSON.stringify(credentials)) > MAX_CREDENTIALS_BYTES) {
    throw new AppError('invalid_request', `The 'credentials' have more than ${MAX_CREDENTIALS_BYTES} bytes`);
  }
  if (name !== undefined) {
    assertName(name);
    if ((await store.find(tenantId, name)) !== null) {
      throw new AppError('conflict', `A connection named "${name}" exists; choose another name`);
    }
  }
  await store.assertBelowLimit(tenantId);
  const last_error =
    connector.builtIn === null ? null : await deps.connectionTests.test(tenantId, connector.builtIn, credentials);
  const _id = randomId();
  const fresh: NewConnection = {
    _id,
    ...vault.seal(tenantId, _id, { credentials, token_type: '', refresh_token: null }),
    kind: 'manual',
    connector: connector.name,
    account: null,
    subject: null,
    app_id: null,
    scopes: [],
    expires_at: null,
    lifetime_ms: null,
    renewable: false,
    last_error,
    limits: limitsOf(params),
    created_by: principal?.user_id ?? 'service',
    created_at: new Date(app.clock.now()),
  };
  const requestedName = name ?? connector.name;
  const event = {
    action: 'connection.create',
    target: targetOf({ _id, name: requestedName }),
    after: { kind: 'manual', connector: connector.name, name: requestedName, fields: Object.keys(credentials) },
  };
  const created = await app.audit.audited(auditedBy(ctx), event, () =>
    name === undefined ? store.insertWithSuffix(tenantId, requestedName, fresh) : store.insert(tenantId, name, fresh),
  );
  await deps.invalidateCredentials(tenantId);
  return created;
}
