import { errorMessage } from '../../lib/errors';
import type { ActionContext } from '../../mixins/service';
import { connectorsByName } from '../../nodes/connectors';
import type { CredentialsFound } from './contract';
import type { ConnectionDoc } from './models';
import type { ConnectionParts } from './parts';
import { type Settled, settleFor } from './settling';

type Asking = ActionContext<'connections.credentials'>;
type Refused = Extract<CredentialsFound, { kind: 'refused' }>;

/** How exactly it is kept when a connection was used. */
const USED_EVERY_MS = 60_000;

/** Credentials for a step, or in words why there are none. @throws AppError unavailable while nobody can tell */
export async function give(parts: ConnectionParts, ctx: Asking): Promise<CredentialsFound> {
  const { params, tenantId } = ctx;
  const found = await wanted(parts, tenantId, params.ref, params.connectors);
  if (found.kind === 'refused') return found;
  const { connection } = found;
  if (connection.kind === 'oauth') {
    const settled = await settleFor(parts, connection, params.refused, ctx.log);
    if (settled.kind !== 'ready') return why(settled, connection.name);
    return given(parts, ctx, settled.connection);
  }
  return given(parts, ctx, connection);
}

function given({ app, store, vault }: ConnectionParts, { log }: Asking, connection: ConnectionDoc): CredentialsFound {
  const { _id, connector, tenant_id, last_used_at } = connection;
  const now = app.clock.now();
  if ((last_used_at?.getTime() ?? 0) + USED_EVERY_MS <= now) {
    // Nobody waits for this, and nobody minds when it is lost.
    store
      .of(tenant_id)
      .update({ _id }, { $set: { last_used_at: new Date(now) } })
      .catch((fault: unknown) => log.debug(`The last use of a connection was not kept: ${errorMessage(fault)}`));
  }
  const credentials = { ...vault.open(connection).credentials };
  const plain = Object.keys(credentials).filter((name) => isPlain(connection, name));
  return { kind: 'ready', connection: { id: _id, connector, credentials, ...(plain.length === 0 ? {} : { plain }) } };
}

/** True for what may stand in records: a host, a port, an id. What nobody knows of is a secret. */
function isPlain({ kind, connector }: ConnectionDoc, name: string): boolean {
  if (kind === 'oauth') return name.endsWith('_id');
  const field = connectorsByName.get(connector)?.auth.fields.find((one) => one.name === name);
  return field !== undefined && !field.secret;
}

async function wanted(
  { app, store }: ConnectionParts,
  tenantId: string,
  ref: string,
  connectors: readonly string[],
): Promise<Refused | { kind: 'found'; connection: ConnectionDoc }> {
  const kinds = connectors.join(' or ');
  if (ref === '') {
    const [only, another] = await store.fitting(tenantId, connectors, app.clock.now());
    if (only === undefined) return refused('unknown_connection', `There is no connection for ${kinds}; make one first`);
    if (another === undefined) return { kind: 'found', connection: only };
    return refused('ambiguous_connection', `There are several connections for ${kinds}; say which one by 'connection'`);
  }
  const connection = await store.find(tenantId, ref);
  if (connection === null) return refused('unknown_connection', `There is no connection "${ref.slice(0, 100)}"`);
  if (connectors.includes(connection.connector)) return { kind: 'found', connection };
  return refused(
    'wrong_connection',
    `The connection "${connection.name}" is for ${connection.connector}, and one for ${kinds} is needed`,
  );
}

function why(settled: Exclude<Settled, { kind: 'ready' }>, name: string): Refused {
  switch (settled.kind) {
    case 'gone':
      return refused('unknown_connection', `The connection "${name}" was removed`);
    case 'expired':
      return refused('connection_expired', `The connection "${name}" has ended; connect the account again`);
    case 'revoked':
      return refused(
        'connection_revoked',
        `The provider takes the connection "${name}" no more; connect the account again`,
      );
  }
}

const refused = (code: string, message: string): Refused => ({ kind: 'refused', error: { code, message } });
