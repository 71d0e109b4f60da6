import { isPlainUrl } from './plain-url';

/** The installation's client at an OpenID provider, for sign-in and sign-up. */
export interface SuiteSignIn {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly issuer: string;
  /** Endpoints that replace those of the issuer's metadata; null: the metadata's. */
  readonly authorizeUrl: string | null;
  readonly tokenUrl: string | null;
}

/** Where browser sign-ins end, and the installation's identity provider. */
export interface SignInConfig {
  /** Null: `/console` under the API's address. */
  readonly frontendUrl: string | null;
  /** Null: not configured. */
  readonly suite: SuiteSignIn | null;
}

interface Reader {
  text(name: string): string | null;
  url(name: string, protocols: readonly string[]): string | null;
}

const HTTP = ['http:', 'https:'] as const;
/** The preset: Google Workspace. */
const SUITE_ISSUER = 'https://accounts.google.com';

/** Required variables of sign-in by the suite. */
export const SUITE_VARIABLES = ['SIGNIN_SUITE_CLIENT_ID', 'SIGNIN_SUITE_CLIENT_SECRET'] as const;

/** FRONTEND_URL and SIGNIN_SUITE_* of an environment. Faults are added to the list, without secrets. */
export function readSignIn(read: Reader, faults: string[]): SignInConfig {
  const address = (name: string, value: string | null): string | null => {
    if (value === null || isPlainUrl(value)) return value;
    faults.push(`${name} must be a URL without user name, query and fragment, such as https://app.example.com`);
    return null;
  };
  const frontendUrl = address('FRONTEND_URL', read.url('FRONTEND_URL', HTTP));
  const clientId = read.text('SIGNIN_SUITE_CLIENT_ID');
  const clientSecret = read.text('SIGNIN_SUITE_CLIENT_SECRET');
  const issuer = address('SIGNIN_SUITE_ISSUER', read.url('SIGNIN_SUITE_ISSUER', HTTP));
  const authorizeUrl = address('SIGNIN_SUITE_AUTHORIZE_URL', read.url('SIGNIN_SUITE_AUTHORIZE_URL', HTTP));
  const tokenUrl = address('SIGNIN_SUITE_TOKEN_URL', read.url('SIGNIN_SUITE_TOKEN_URL', HTTP));
  const given = [clientId, clientSecret, issuer, authorizeUrl, tokenUrl].some((value) => value !== null);
  if (given && (clientId === null || clientSecret === null)) {
    faults.push(`SIGNIN_SUITE_* needs ${SUITE_VARIABLES.join(' and ')}; set both, or none of them`);
  }
  return {
    frontendUrl: frontendUrl?.replace(/\/+$/, '') ?? null,
    suite:
      clientId === null || clientSecret === null
        ? null
        : { clientId, clientSecret, issuer: issuer ?? SUITE_ISSUER, authorizeUrl, tokenUrl },
  };
}
