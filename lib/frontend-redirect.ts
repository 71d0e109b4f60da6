import type { Config } from './config';

/**
 * URL of the frontend with the outcome in the fragment, which browsers send to no server and omit from Referer. A path
 * if neither the frontend nor BASE_URL is configured: the request's Host header must not decide who receives a token.
 */
export const frontendRedirect = (
  { signIn: { frontendUrl }, baseUrl }: Pick<Config, 'signIn' | 'baseUrl'>,
  outcome: Readonly<Record<string, string>>,
  path = '',
): string => `${frontendUrl ?? `${baseUrl ?? ''}/console`}${path}#${new URLSearchParams(outcome)}`;
