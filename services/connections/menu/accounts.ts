import { AppError } from '../../../lib/errors';
import { auditedBy } from '../../../mixins/audit';
import type { ServiceDefinition } from '../../../mixins/service';
import type { ConnectionDoc } from '../models';
import { disconnect } from '../disconnecting';
import { give } from '../giving';
import { createManual } from '../manual';
import type { ConnectionParts } from '../parts';
import type { Settled } from '../renewal/renewer';
import { isoOf, targetOf, viewOf } from '../view';
import { idParam, nameParam } from './params';

type Menu = Pick<
  ServiceDefinition<'connections'>['actions'],
  'list' | 'create' | 'remove' | 'token' | 'refresh' | 'credentials'
>;

/** Connections as they are: listed, used, renewed, removed. */
export const accountMenu = (parts: ConnectionParts): Menu => {
  const { app, store, vault, renewer } = parts;

  return {
    list: {
      access: 'member',
      summary: "The tenant's connections, without what they show their providers",
      params: {},
      async handle({ tenantId }) {
        const now = app.clock.now();
        return { data: (await store.list(tenantId)).map((connection) => viewOf(connection, now)) };
      },
    },
    create: {
      access: 'member',
      summary: 'Makes a manual connection, after trying the credentials',
      params: {
        connector: { type: 'string', min: 1, max: 200 },
        name: nameParam,
        credentials: { type: 'object' },
      },
      handle: async (ctx) => viewOf(await createManual(parts, ctx), app.clock.now()),
    },
    remove: {
      access: 'member',
      summary: 'Disconnects: revokes at the provider, and forgets',
      params: { id: idParam },
      handle: (ctx) => disconnect(parts, ctx),
    },
    token: {
      access: 'member',
      summary: 'An access token that counts now',
      params: { id: idParam },
      async handle(ctx) {
        const found = oauthOnly(await store.get(ctx.tenantId, ctx.params.id));
        const event = { action: 'connection.token', target: targetOf(found) };
        return app.audit.audited(auditedBy(ctx), event, async () => {
          const connection = usable(found, await renewer.settle(found, { kind: 'any' }, ctx.log));
          const { credentials, token_type } = vault.open(connection);
          const { access_token = '' } = credentials;
          return { access_token, token_type, expires_at: isoOf(connection.expires_at), scopes: connection.scopes };
        });
      },
    },
    refresh: {
      access: 'member',
      summary: 'Renews the access token now',
      params: { id: idParam },
      async handle(ctx) {
        const found = oauthOnly(await store.get(ctx.tenantId, ctx.params.id));
        if (found.status === 'active' && !found.renewable) {
          throw new AppError('conflict', `The provider of "${found.name}" gives nothing to renew its token with`);
        }
        const event = { action: 'connection.refresh', target: targetOf(found) };
        return app.audit.audited(auditedBy(ctx), event, async () => {
          const settled = await renewer.settle(found, { kind: 'newer', than: found.generation }, ctx.log);
          return viewOf(usable(found, settled), app.clock.now());
        });
      },
    },
    credentials: {
      access: 'internal',
      summary: 'What a connection shows its provider, for a step',
      params: {
        ref: { type: 'string', max: 200 },
        connectors: { type: 'array', items: { type: 'string', max: 200 }, min: 1, max: 20 },
        refused: { type: 'string', max: 20_000, optional: true },
      },
      handle: (ctx) => give(parts, ctx),
    },
  };
};

/** @throws AppError conflict for a manual one */
function oauthOnly(connection: ConnectionDoc): ConnectionDoc {
  if (connection.kind === 'oauth') return connection;
  throw new AppError(
    'conflict',
    `"${connection.name}" is a manual connection: it has credentials, and no access token`,
  );
}

/** @throws AppError not_found, connection_expired, connection_revoked */
function usable({ _id, name }: ConnectionDoc, settled: Settled): ConnectionDoc {
  switch (settled.kind) {
    case 'ready':
      return settled.connection;
    case 'gone':
      throw new AppError('not_found', `There is no connection ${_id}`);
    case 'expired':
      throw new AppError('connection_expired', `The connection "${name}" has ended; connect the account again`);
    case 'revoked':
      throw new AppError(
        'connection_revoked',
        `The provider takes the connection "${name}" no more; connect the account again`,
      );
  }
}
