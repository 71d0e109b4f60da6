import type { OAuthAppView, OAuthPresetView } from '../../../contracts/oauth-apps';
import type { OAuthApp } from './apps';
import type { Preset } from './preset';

/** An app as its users see it, without its secret. */
export function appView(
  { id, name, source, clientId, hasSecret, settings, doc }: OAuthApp,
  redirectUri: string,
): OAuthAppView {
  return {
    id,
    name,
    source,
    preset: settings.preset?.id ?? null,
    variables: { ...settings.variables },
    connector: settings.connector,
    client_id: clientId,
    client_secret_set: hasSecret,
    authorize_url: settings.authorizeUrl,
    token_url: settings.tokenUrl,
    revoke_url: settings.revokeUrl,
    scopes: [...settings.scopes],
    auth_style: settings.auth,
    pkce: settings.pkce,
    hosts: [...settings.hosts],
    redirect_uri: redirectUri,
    created_by: doc?.created_by ?? null,
    created_at: doc?.created_at.toISOString() ?? null,
    updated_at: doc?.updated_at.toISOString() ?? null,
  };
}

export const presetView = (preset: Preset): OAuthPresetView => ({
  id: preset.id,
  title: preset.title,
  connector: preset.connector ?? null,
  authorize_url: preset.authorize,
  token_url: preset.token,
  revoke_url: preset.revoke ?? null,
  scopes: [...preset.scopes],
  auth_style: preset.auth ?? 'body',
  pkce: preset.pkce,
  hosts: [...preset.hosts],
  variables: (preset.variables ?? []).map((one) => ({
    name: one.name,
    title: one.title,
    example: one.example,
    default: one.default ?? null,
  })),
  docs: preset.docs,
  note: preset.note ?? null,
});
