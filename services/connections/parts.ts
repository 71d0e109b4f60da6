import { createEgress, parseEgressAllow } from '../../lib/egress';
import type { OAuthWord } from '../../lib/oauth-config';
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
import { Renewer } from './renewal/renewer';
import { Connections } from './store';
import { Trials } from './trial';
import { Vault } from './vault';
import { targetOf } from './view';

/** What the menus of the service share. */
export interface ConnectionParts {
  readonly app: App;
  readonly models: ConnectionModels;
  readonly store: Connections;
  readonly vault: Vault;
  readonly clients: Readonly<Record<OAuthWord, ProviderClient>>;
  readonly flow: Flow;
  readonly renewer: Renewer;
  readonly trials: Trials;
  /** Tells every host that what it knows of the tenant's credentials is old. */
  stale(tenantId: string): void;
  started(context: ServiceContext): void;
  close(): Promise<void>;
}

/** Nobody in person: the service itself, in the log of the tenant. */
const SERVICE: AuditActor = { type: 'service', id: null, email: null, ip: null };

const DIALECTS = { suite, notes, chat } as const;

export function connectionParts(app: App): ConnectionParts {
  const { egressAllow, oauth } = app.config;
  const models = connectionModels(app.db);
  const vault = new Vault(app.keyring);
  const egress = createEgress({
    // The operator has named these hosts, wherever they stand.
    allow: [...parseEgressAllow(egressAllow), ...Object.values(oauth).flatMap(({ rules }) => rules)],
  });
  const clientOf = (word: OAuthWord) => new ProviderClient(oauth[word], DIALECTS[word], egress, app.clock);
  const clients = { suite: clientOf('suite'), notes: clientOf('notes'), chat: clientOf('chat') };
  const trials = new Trials(app);
  let context: ServiceContext | undefined;
  const stale = (tenantId: string): void =>
    context?.broadcast('cache.stale', { patterns: [`connections.credentials:${tenantId}`] });
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
    flow: new Flow(app, clients, new FlowRequests(models, new SealedTexts(app.keyring))),
    renewer: new Renewer({ app, models, vault, clients, news: { stale, revoked } }),
    trials,
    stale,
    started: (given) => {
      context = given;
    },
    close: async () => {
      await Promise.all([egress.close(), trials.close()]);
    },
  };
}
