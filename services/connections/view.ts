import type { JsonObject } from '../../lib/json';
import type { ConnectionLimitsView, ConnectionStatus, ConnectionView } from '../../contracts/connections';
import type { ConnectionDoc } from './models';
import { isExpired } from './token-refresh/rules';

/** The API view of a connection, without credentials. */
export const viewOf = (connection: ConnectionDoc, now: number): ConnectionView => ({
  id: connection._id,
  kind: connection.kind,
  connector: connection.connector,
  name: connection.name,
  status: statusOf(connection, now),
  state: stateOf(connection, now),
  app_id: connection.app_id ?? null,
  account: connection.account,
  scopes: connection.scopes,
  expires_at: isoOrNull(connection.expires_at),
  last_error: connection.last_error,
  limits: connection.limits ?? NO_LIMITS,
  paused_until: isoOrNull(pausedUntil(connection, now)),
  created_by: connection.created_by,
  created_at: connection.created_at.toISOString(),
  updated_at: connection.updated_at.toISOString(),
  last_used_at: isoOrNull(connection.last_used_at),
});

const NO_LIMITS: ConnectionLimitsView = { rate: null, concurrency: null };

/** The end of a pause; null when it is over. */
export const pausedUntil = ({ paused_until }: Pick<ConnectionDoc, 'paused_until'>, now: number): Date | null =>
  paused_until instanceof Date && paused_until.getTime() > now ? paused_until : null;

export const statusOf = (connection: ConnectionDoc, now: number): ConnectionStatus =>
  connection.status === 'active' && isExpired(connection, now) ? 'expired' : connection.status;

const stateOf = (connection: ConnectionDoc, now: number): ConnectionView['state'] => {
  if (statusOf(connection, now) !== 'active') return 'reconnect';
  return connection.last_error === null ? 'ok' : 'failing';
};

/** A connection as recorded in the audit log. */
export const auditOf = ({ kind, connector, name, account, scopes }: ConnectionDoc): JsonObject => ({
  kind,
  connector,
  name,
  account,
  scopes,
});

export const targetOf = ({ _id, name }: Pick<ConnectionDoc, '_id' | 'name'>) => ({ type: 'connection', id: _id, name });

export const isoOrNull = (date: Date | null): string | null => date?.toISOString() ?? null;
