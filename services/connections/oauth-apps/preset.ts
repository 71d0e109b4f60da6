/** Where a token response has its values, as paths of names and indexes such as `authed_user.access_token`. */
export interface TokenPaths {
  readonly access_token?: string;
  readonly refresh_token?: string;
  /** Seconds. */
  readonly expires_in?: string;
  readonly scope?: string;
}

/** A request that tells whose account a token is for. It is a GET with the token, and its failure is ignored. */
export interface AccountLookup {
  readonly url: string;
  /** Path of a stable id. */
  readonly id: string;
  /** Path of a name for people. */
  readonly name: string;
  /** Further values for steps, by name: paths. */
  readonly values?: Readonly<Record<string, string>>;
  /** Scheme of the Authorization header. Default: Bearer. */
  readonly scheme?: string;
}

/** A part of a provider's addresses that differs between its customers. */
interface PresetVariable {
  readonly name: string;
  readonly title: string;
  readonly example: string;
  readonly default?: string;
}

/** How a provider implements OAuth 2.0 by authorization code. Texts in braces are variables of the app. */
export interface Preset {
  readonly id: string;
  readonly title: string;
  /** The connector, or the OAuth provider of connectors, that accepts its connections. Absent: `http_request` alone. */
  readonly connector?: string;
  readonly authorize: string;
  readonly token: string;
  readonly revoke?: string;
  /** Compared with the `iss` of responses (RFC 9207). */
  readonly issuer?: string;
  readonly scopes: readonly string[];
  /** Separator of scopes in requests. Default: a space. */
  readonly separator?: ',';
  /** Client authentication at the token endpoint. Default: in the body. */
  readonly auth?: 'basic';
  /** Format of the token request. Default: a form. */
  readonly format?: 'json';
  /** Whether the provider supports PKCE (RFC 7636). */
  readonly pkce: boolean;
  /** Further parameters of authorization requests. */
  readonly params?: Readonly<Record<string, string>>;
  readonly paths?: TokenPaths;
  /** The built-in provider whose token responses it has. */
  readonly dialect?: 'suite' | 'notes' | 'chat';
  readonly variables?: readonly PresetVariable[];
  readonly account?: AccountLookup;
  /** Values of the token response that steps get, by name: paths. */
  readonly values?: Readonly<Record<string, string>>;
  /** Values of the redirect that steps get, by name: names of parameters. */
  readonly callback?: Readonly<Record<string, string>>;
  /** Credentials as the connector names them: texts with variables, values and `{access_token}`. */
  readonly credentials?: Readonly<Record<string, string>>;
  /** Hosts that tokens may be sent to. */
  readonly hosts: readonly string[];
  /** The provider's page about OAuth. */
  readonly docs: string;
  /** What people have to know when they register the app. */
  readonly note?: string;
}

const VARIABLE = /\{(\w+)\}/g;

/** A text with its variables replaced; those without a value become empty. Pure. */
export const fill = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(VARIABLE, (_whole, name: string) => (Object.hasOwn(values, name) ? (values[name] ?? '') : ''));
