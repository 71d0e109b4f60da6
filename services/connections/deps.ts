import { createEgress, parseEgressAllow } from '../../lib/egress';
import type { OAuthProvider } from '../../lib/oauth-config';
import { SealedTexts } from '../../lib/sealed-text';
import type { AuditActor } from '../../mixins/audit';
import type { ServiceContext } from '../../mixins/service';
import type { App } from '../app';
import { type ConnectionDoc, type ConnectionModels, connectionModels } from './models';
import { chat } from './oauth/chat';
import { ProviderClient } from './oauth/client';
import { Flow } from './oauth/flow';
import { notes } from './oauth/notes';
import { FlowRequests } from './oauth/requests';
import { suite } from './oauth/suite';
import { AppSecrets, AppStore } from './oauth-apps/app-store';
import { OAuthApps } from './oauth-apps/apps';
import { TokenRefresher } from './token-refresh/token-refresher';
import { Connections } from './store';
import { ConnectionTests } from './connection-tests';
import { Vault } from './vault';
import { targetOf } from './view';

/** Dependencies of the service's actions. */
export interface ConnectionDeps {
  readonly app: App;
  readonly models: ConnectionModels;
  readonly store: Connections;
  readonly vault: Vault;
  readonly clients: Readonly<Record<OAuthProvider, ProviderClient>>;
  /** OAuth apps of tenants and of the operator. */
  readonly apps: OAuthApps;
  readonly appStore: AppStore;
  readonly appSecrets: AppSecrets;
  /** The client that issued the tokens of a connection; null when its OAuth app was deleted. */
  clientOf(connection: ConnectionDoc): Promise<ProviderClient | null>;
  readonly flow: Flow;
  readonly tokenRefresher: TokenRefresher;
  readonly connectionTests: ConnectionTests;
  /** Drops the tenant's cached credentials on every host. Await it before responding to a change. */
  invalidateCredentials(tenantId: string): Promise<void>;
  onStarted(context: ServiceContext): void;
  close(): Promise<void>;
}

/** The service itself as the actor in the tenant's audit log. */
const SERVICE: AuditActor = { type: 'service', id: null, email: null, ip: null };

const PROFILES = { suite, notes, chat } as const;

export function createConnectionDeps(app: App): ConnectionDeps {
  const { egressAllow, oauth } = app.config;
  const models = connectionModels(app.db);
  const vault = new Vault(app.keyring);
  const egress = createEgress({
    // The operator configured these hosts, so private addresses are allowed.
    allow: [...parseEgressAllow(egressAllow), ...Object.values(oauth).flatMap(({ rules }) => rules)],
  });
  const builtIn = (provider: OAuthProvider) =>
    new ProviderClient(oauth[provider], PROFILES[provider], egress, app.clock);
  const clients = { suite: builtIn('suite'), notes: builtIn('notes'), chat: builtIn('chat') };
  const appStore = new AppStore(models.apps);
  const appSecrets = new AppSecrets(app.keyring);
  const apps = new OAuthApps(app.config, appStore, appSecrets, app.clock);
  const clientOf = async (connection: ConnectionDoc): Promise<ProviderClient | null> => {
    // Connections from before OAuth apps have no such field.
    if ((connection.app_id ?? null) === null) return clients[connection.connector as OAuthProvider];
    const found = await apps.ofConnection(connection);
    return found === null ? null : apps.clientOf(found);
  };
  const connectionTests = new ConnectionTests(app);
  let context: ServiceContext | undefined;
  const stale = async (tenantId: string): Promise<void> => context?.invalidate(`connections.credentials:${tenantId}`);
  const revoked = (connection: ConnectionDoc, reason: string): Promise<void> =>
    app.audit.note(
      { tenantId: connection.tenant_id, actor: SERVICE, requestId: 'renewal' },
      { action: 'connection.revoked', target: targetOf(connection), after: { by: 'provider', reason } },
    );
  return {
    app,
    models,
    store: new Connections(models),
    vault,
    clients,
    apps,
    appStore,
    appSecrets,
    clientOf,
    flow: new Flow(app, new FlowRequests(models, new SealedTexts(app.keyring))),
    tokenRefresher: new TokenRefresher({
      app,
      models,
      vault,
      clientOf,
      events: { onChanged: stale, onRevoked: revoked },
    }),
    connectionTests,
    invalidateCredentials: stale,
    onStarted: (given) => {
      context = given;
    },
    close: async () => {
      await Promise.all([egress.close(), apps.close(), connectionTests.close()]);
    },
  };
}
