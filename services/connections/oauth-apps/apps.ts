import type { Clock } from '../../../lib/clock';
import { createEgress, type Egress, parseEgressAllow } from '../../../lib/egress';
import type { Config } from '../../../lib/config';
import type { ConnectionDoc, OAuthAppDoc } from '../models';
import { ProviderClient } from '../oauth/client';
import type { AppSecrets, AppStore } from './app-store';
import type { AppDefinition } from './definition';
import { loadOperatorApps, type OperatorApp } from './operator-apps';
import { profileOf } from './profile';
import { type AppSettings, configOf, settingsOf } from './settings';

/** An OAuth app that can be used. */
export interface OAuthApp {
  readonly id: string;
  readonly name: string;
  readonly source: 'workspace' | 'operator';
  readonly clientId: string;
  readonly hasSecret: boolean;
  readonly definition: AppDefinition;
  readonly settings: AppSettings;
  /** Null for those of the operator. */
  readonly doc: OAuthAppDoc | null;
}

/** The OAuth apps that a tenant may use: its own, and those of the operator. */
export class OAuthApps {
  readonly #operator: readonly OperatorApp[];
  /** Tenants choose the endpoints of their apps, so these requests may go where steps may. */
  readonly #ofTenants: Egress;
  readonly #ofOperator: Egress;

  constructor(
    config: Pick<Config, 'egressAllow' | 'oauthAppsFile'>,
    private readonly store: AppStore,
    private readonly secrets: AppSecrets,
    private readonly clock: Clock,
  ) {
    this.#operator = loadOperatorApps(config.oauthAppsFile);
    const allow = parseEgressAllow(config.egressAllow);
    this.#ofTenants = createEgress({ allow });
    this.#ofOperator = createEgress({
      allow: [...allow, ...this.#operator.flatMap(({ app, secret }) => configFor(app, secret).rules)],
    });
  }

  async close(): Promise<void> {
    await Promise.all([this.#ofTenants.close(), this.#ofOperator.close()]);
  }

  /** Those of the operator first; then the tenant's, sorted by name. */
  async list(tenantId: string): Promise<OAuthApp[]> {
    const own = await this.store.all(tenantId);
    return [...this.#operator.map(({ app }) => app), ...own.flatMap((doc) => appOf(doc) ?? [])];
  }

  async find(tenantId: string, id: string): Promise<OAuthApp | null> {
    const offered = this.#operator.find(({ app }) => app.id === id);
    if (offered !== undefined) return offered.app;
    const doc = await this.store.find(tenantId, id);
    return doc === null ? null : appOf(doc);
  }

  /** The app of a connection; null when it was deleted. */
  async ofConnection({ tenant_id, app_id }: Pick<ConnectionDoc, 'tenant_id' | 'app_id'>): Promise<OAuthApp | null> {
    return (app_id ?? null) === null ? null : this.find(tenant_id, app_id as string);
  }

  /** The OAuth client of an app. @throws AppError sealed_unreadable */
  clientOf(app: OAuthApp): ProviderClient {
    return new ProviderClient(
      configFor(app, this.#secretOf(app)),
      profileOf(app.settings, `The provider ${app.name}`),
      this.egressOf(app),
      this.clock,
    );
  }

  egressOf({ source }: Pick<OAuthApp, 'source'>): Egress {
    return source === 'operator' ? this.#ofOperator : this.#ofTenants;
  }

  #secretOf({ id, doc }: OAuthApp): string {
    if (doc !== null) return this.secrets.open(doc);
    return this.#operator.find(({ app }) => app.id === id)?.secret ?? '';
  }
}

const configFor = ({ settings, clientId }: OAuthApp, secret: string) => configOf(settings, { id: clientId, secret });

/** A stored app; null when its preset is not known to this version. */
export function appOf(doc: OAuthAppDoc): OAuthApp | null {
  const { _id: id, name, client_id: clientId, has_secret: hasSecret, definition } = doc;
  const settings = settingsOf(definition, !hasSecret);
  return settings === null ? null : { id, name, source: 'workspace', clientId, hasSecret, definition, settings, doc };
}
