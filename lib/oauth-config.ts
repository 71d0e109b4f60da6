import { type EgressRule, ruleOf } from './egress/rules';
import { isPlainUrl } from './plain-url';

/** OAuth providers of connectors, by their names in variables and routes. */
export const OAUTH_PROVIDERS = ['suite', 'notes', 'chat'] as const;
export type OAuthProvider = (typeof OAUTH_PROVIDERS)[number];

/** Endpoints and client of a provider. */
export interface OAuthProviderConfig {
  /** Null: not configured. */
  readonly client: { readonly id: string; readonly secret: string } | null;
  /** Variables that must be set. */
  readonly missing: readonly string[];
  /** Null: taken from the issuer's metadata. The same applies to the token endpoint. */
  readonly authorizeUrl: string | null;
  readonly tokenUrl: string | null;
  /** Null: taken from the metadata; without an issuer there is none. */
  readonly revokeUrl: string | null;
  /** Expected `iss` of responses; null: unknown. */
  readonly issuer: string | null;
  /** Whether values that are null above come from the issuer's metadata. */
  readonly discovers: boolean;
  /** Egress rules that allow requests to a server set by the operator, even on a private network. */
  readonly rules: readonly EgressRule[];
}

/** OAUTH_* of an environment. */
export type OAuthConfig = Readonly<Record<OAuthProvider, OAuthProviderConfig>>;

type Urls = Pick<OAuthProviderConfig, 'authorizeUrl' | 'tokenUrl' | 'revokeUrl' | 'issuer'>;

interface RawConfig extends Urls {
  readonly id: string | null;
  readonly secret: string | null;
}

interface Reader {
  text(name: string): string | null;
}

/** Google Workspace. */
const SUITE: Urls = {
  authorizeUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
  tokenUrl: 'https://oauth2.googleapis.com/token',
  revokeUrl: 'https://oauth2.googleapis.com/revoke',
  issuer: 'https://accounts.google.com',
};
/** Notion. */
const NOTES: Urls = {
  authorizeUrl: 'https://api.notion.com/v1/oauth/authorize',
  tokenUrl: 'https://api.notion.com/v1/oauth/token',
  revokeUrl: null,
  issuer: null,
};
/** Slack. */
const CHAT: Urls = {
  authorizeUrl: 'https://slack.com/oauth/v2/authorize',
  tokenUrl: 'https://slack.com/api/oauth.v2.access',
  revokeUrl: 'https://slack.com/api/auth.revoke',
  issuer: null,
};

/** OAUTH_{SUITE,NOTES,CHAT}_* of an environment. Faults are added to the list, without secrets. */
export function readOAuth(read: Reader, faults: string[]): OAuthConfig {
  const url = (name: string, value: string | null): string | null => {
    if (value === null || isPlainUrl(value)) return value;
    faults.push(`${name} must be a URL without user name, query and fragment, such as https://id.example.com/token`);
    return null;
  };
  const provider = (word: string, preset: Urls, given: RawConfig): OAuthProviderConfig => {
    const named: Urls = {
      authorizeUrl: url(`OAUTH_${word}_AUTHORIZE_URL`, given.authorizeUrl),
      tokenUrl: url(`OAUTH_${word}_TOKEN_URL`, given.tokenUrl),
      revokeUrl: url(`OAUTH_${word}_REVOKE_URL`, given.revokeUrl),
      issuer: url(`OAUTH_${word}_ISSUER`, given.issuer),
    };
    const { id, secret } = given;
    const missing = [
      ...(id === null ? [`OAUTH_${word}_CLIENT_ID`] : []),
      ...(secret === null ? [`OAUTH_${word}_CLIENT_SECRET`] : []),
    ];
    const addresses = Object.values(named).filter((value): value is string => value !== null);
    return {
      client: id === null || secret === null ? null : { id, secret },
      missing,
      ...placed(preset, named),
      rules: addresses.map(ruleOf),
    };
  };
  return {
    suite: provider('SUITE', SUITE, {
      id: read.text('OAUTH_SUITE_CLIENT_ID'),
      secret: read.text('OAUTH_SUITE_CLIENT_SECRET'),
      authorizeUrl: read.text('OAUTH_SUITE_AUTHORIZE_URL'),
      tokenUrl: read.text('OAUTH_SUITE_TOKEN_URL'),
      revokeUrl: read.text('OAUTH_SUITE_REVOKE_URL'),
      issuer: read.text('OAUTH_SUITE_ISSUER'),
    }),
    notes: provider('NOTES', NOTES, {
      id: read.text('OAUTH_NOTES_CLIENT_ID'),
      secret: read.text('OAUTH_NOTES_CLIENT_SECRET'),
      authorizeUrl: read.text('OAUTH_NOTES_AUTHORIZE_URL'),
      tokenUrl: read.text('OAUTH_NOTES_TOKEN_URL'),
      revokeUrl: read.text('OAUTH_NOTES_REVOKE_URL'),
      issuer: read.text('OAUTH_NOTES_ISSUER'),
    }),
    chat: provider('CHAT', CHAT, {
      id: read.text('OAUTH_CHAT_CLIENT_ID'),
      secret: read.text('OAUTH_CHAT_CLIENT_SECRET'),
      authorizeUrl: read.text('OAUTH_CHAT_AUTHORIZE_URL'),
      tokenUrl: read.text('OAUTH_CHAT_TOKEN_URL'),
      revokeUrl: read.text('OAUTH_CHAT_REVOKE_URL'),
      issuer: read.text('OAUTH_CHAT_ISSUER'),
    }),
  };
}

/**
 * Which endpoints apply. With the operator's own issuer: its metadata. With other endpoints only: the preset's, except
 * those that would receive or compare another provider's tokens.
 */
function placed(preset: Urls, named: Urls): Urls & { discovers: boolean } {
  if (named.issuer !== null) {
    const whole = named.authorizeUrl !== null && named.tokenUrl !== null;
    // All required endpoints may be set; then no metadata is needed.
    return { ...named, discovers: !whole };
  }
  if (named.authorizeUrl === null && named.tokenUrl === null) {
    return { ...preset, revokeUrl: named.revokeUrl ?? preset.revokeUrl, discovers: false };
  }
  return {
    authorizeUrl: named.authorizeUrl ?? preset.authorizeUrl,
    tokenUrl: named.tokenUrl ?? preset.tokenUrl,
    revokeUrl: named.revokeUrl,
    issuer: null,
    discovers: false,
  };
}
