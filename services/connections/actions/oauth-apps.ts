import { baseUrlFor } from '../../../lib/base-url';
import { AppError } from '../../../lib/errors';
import { randomId } from '../../../lib/ids';
import type { JsonObject } from '../../../lib/json';
import { catalogueOf, pageOf, sliceOf } from '../../../lib/page';
import { auditedBy } from '../../../mixins/audit';
import type { Handlers } from '../../../mixins/service';
import { assertReconnectable } from '../connect-account';
import type { ConnectionDeps } from '../deps';
import { appOf, type OAuthApp } from '../oauth-apps/apps';
import { changedDefinition, definitionOf } from '../oauth-apps/definition';
import { PRESETS } from '../oauth-apps/presets';
import { appView, presetView } from '../oauth-apps/view';
import { authorizePath, callbackPath, checkedScopes } from '../oauth/flow';
import { TICKET_LIFETIME_MS } from '../oauth/requests';
import type { OAuthAppDoc } from '../models';
import { assertNameUsable } from './flows';

type Actions = Pick<
  Handlers<'connections'>,
  'presets' | 'list_apps' | 'get_app' | 'create_app' | 'update_app' | 'remove_app' | 'authorize_app'
>;

/** Actions on OAuth apps, and the start of their flows. */
export const appActions = (deps: ConnectionDeps): Actions => {
  const { app, apps, appStore, appSecrets, flow, store } = deps;

  const redirectUri = (origin: string | null | undefined): string =>
    baseUrlFor(app.config, origin ?? undefined) + callbackPath('app');

  /** @throws AppError not_found */
  const existing = async (tenantId: string, id: string): Promise<OAuthApp> => {
    const found = await apps.find(tenantId, id);
    if (found === null) throw unknownApp(id);
    return found;
  };

  /** An app of the tenant itself. @throws AppError not_found, conflict */
  const own = async (tenantId: string, id: string): Promise<OAuthAppDoc> => {
    const { doc, name } = await existing(tenantId, id);
    if (doc === null) throw new AppError('conflict', `The operator offers the OAuth app "${name}", and changes it`);
    return doc;
  };

  return {
    presets({ params }) {
      const { data, ...page } = catalogueOf(PRESETS, params);
      return { data: data.map(presetView), ...page };
    },
    async list_apps({ params: { origin, ...page }, tenantId }) {
      const { data, ...range } = sliceOf(await apps.list(tenantId), pageOf(page));
      return { data: data.map((one) => appView(one, redirectUri(origin))), ...range };
    },
    get_app: async ({ params: { id, origin }, tenantId }) => appView(await existing(tenantId, id), redirectUri(origin)),
    async create_app(ctx) {
      const { params, tenantId, principal } = ctx;
      const { name, client_id, client_secret, origin } = params;
      const definition = definitionOf(params);
      const _id = randomId();
      const now = new Date(app.clock.now());
      const doc = {
        _id,
        name,
        client_id,
        has_secret: client_secret !== undefined,
        definition,
        ...appSecrets.seal(tenantId, _id, client_secret ?? ''),
        created_by: principal?.user_id ?? 'service',
        created_at: now,
        updated_at: now,
      };
      const event = { action: 'oauth_app.create', target: targetOf(doc), after: auditOf(doc) };
      const created = await app.audit.audited(auditedBy(ctx), event, () => appStore.insert(tenantId, doc));
      return appView(usable(created), redirectUri(origin));
    },
    async update_app(ctx) {
      const { params, tenantId } = ctx;
      const { id, name, client_secret, scopes, hosts, origin } = params;
      const before = await own(tenantId, id);
      if (client_secret !== undefined && before.definition.kind === 'custom' && !before.has_secret)
        throw new AppError('invalid_request', 'This app is a public client: it has no client secret');
      const fields = {
        ...(name === undefined ? {} : { name }),
        ...(client_secret === undefined ? {} : { has_secret: true, ...appSecrets.seal(tenantId, id, client_secret) }),
        ...(scopes === undefined && hosts === undefined
          ? {}
          : {
              definition: changedDefinition(before.definition, {
                ...(scopes === undefined ? {} : { scopes }),
                ...(hosts === undefined ? {} : { hosts }),
              }),
            }),
        updated_at: new Date(app.clock.now()),
      };
      const event = {
        action: 'oauth_app.update',
        target: targetOf(before),
        before: auditOf(before),
        after: { ...auditOf({ ...before, ...fields }), secret_changed: client_secret !== undefined },
      };
      const updated = await app.audit.audited(auditedBy(ctx), event, () => appStore.update(tenantId, id, fields));
      if (updated === null) throw unknownApp(id);
      // Hosts are part of what steps get.
      await deps.invalidateCredentials(tenantId);
      return appView(usable(updated), redirectUri(origin));
    },
    async remove_app(ctx) {
      const { params, tenantId } = ctx;
      const before = await own(tenantId, params.id);
      // A connection that is made at this moment ends with its token: it says that its app was deleted.
      const used = await store.countOfApp(tenantId, before._id);
      if (used > 0)
        throw new AppError('conflict', `${used} connections were made with "${before.name}"; delete them first`);
      const event = { action: 'oauth_app.delete', target: targetOf(before), before: auditOf(before) };
      await app.audit.audited(auditedBy(ctx), event, async () => {
        if ((await appStore.scope(tenantId).remove({ _id: before._id })) === 0) throw unknownApp(before._id);
      });
    },
    async authorize_app(ctx) {
      const { params, tenantId, principal } = ctx;
      const { id, name, connection, return_to = '', origin } = params;
      const found = await existing(tenantId, id);
      const { connector, scopes: defaults } = found.settings;
      const scopes = checkedScopes(params.scopes ?? defaults);
      if (connection !== undefined) assertReconnectable(await store.get(tenantId, connection), connector);
      else {
        if (name !== undefined) await assertNameUsable(deps, tenantId, { name, connector });
        await store.assertBelowLimit(tenantId);
      }
      const wanted = {
        tenant_id: tenantId,
        actor: auditedBy(ctx).actor,
        created_by: principal?.user_id ?? 'service',
        name: name ?? null,
        return_to,
        ...(connection === undefined ? {} : { connection }),
      };
      const now = app.clock.now();
      const ticket = flow.requests.ticket({ provider: 'app', app_id: found.id, wish: wanted, scopes }, now);
      const base = baseUrlFor(app.config, origin ?? undefined);
      return {
        ticket,
        authorize_url: `${base}${authorizePath('app')}?ticket=${ticket}`,
        expires_at: new Date(now + TICKET_LIFETIME_MS).toISOString(),
      };
    },
  };
};

const unknownApp = (id: string): AppError => new AppError('not_found', `OAuth app ${id.slice(0, 60)} not found`);

/** An app that was just written by this version, so that its preset is known. */
function usable(doc: OAuthAppDoc): OAuthApp {
  const found = appOf(doc);
  if (found === null) throw unknownApp(doc._id);
  return found;
}

const targetOf = ({ _id, name }: Pick<OAuthAppDoc, '_id' | 'name'>) => ({ type: 'oauth_app', id: _id, name });

const auditOf = ({
  name,
  client_id,
  definition,
}: Pick<OAuthAppDoc, 'name' | 'client_id' | 'definition'>): JsonObject => ({
  name,
  client_id,
  ...(definition.kind === 'preset'
    ? { preset: definition.preset }
    : { authorize_url: definition.authorize_url, token_url: definition.token_url }),
  scopes: definition.scopes === null ? null : [...definition.scopes],
  hosts: definition.hosts === null ? null : [...definition.hosts],
});
