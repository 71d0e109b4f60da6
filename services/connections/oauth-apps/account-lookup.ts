import type { Egress } from '../../../lib/egress';
import { parseJsonOrUndefined } from '../../../lib/json';
import type { Tokens } from '../oauth/provider-profile';
import { labelIn } from '../oauth/provider-profile';
import type { AccountLookup } from './preset';
import { textAt, valuesIn } from './profile';

const TIMEOUT_MS = 8_000;
const MAX_BYTES = 256 * 1024;

/** What a live call with a token has shown. */
type LookupResult =
  | { readonly kind: 'found'; readonly body: unknown }
  | { readonly kind: 'refused'; readonly message: string }
  /** Nothing is known about the token. */
  | { readonly kind: 'failed'; readonly message: string };

/** Asks the provider whose account a token is for. Never throws. */
export async function lookUpAccount(
  egress: Egress,
  { url, scheme = 'Bearer' }: Pick<AccountLookup, 'url' | 'scheme'>,
  accessToken: string,
): Promise<LookupResult> {
  try {
    const { status, body } = await egress.request({
      method: 'GET',
      url,
      headers: { authorization: `${scheme} ${accessToken}`, accept: 'application/json', 'user-agent': 'everstep' },
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      maxRedirects: 0,
    });
    if (status === 401)
      return { kind: 'refused', message: 'The provider rejected the access token; connect the account again' };
    const host = new URL(url).host;
    if (status >= 300) return { kind: 'failed', message: `${host} answered with status ${status}` };
    return { kind: 'found', body: parseJsonOrUndefined(body.toString()) };
  } catch {
    return { kind: 'failed', message: `${new URL(url).host} could not be reached` };
  }
}

/** Tokens with the account that the provider names. Tokens stay as they are where it names none. */
export async function withAccount(egress: Egress, lookup: AccountLookup | null, tokens: Tokens): Promise<Tokens> {
  if (lookup === null) return tokens;
  const found = await lookUpAccount(egress, lookup, tokens.accessToken);
  if (found.kind !== 'found') return tokens;
  const label = (path: string): string | null => labelIn({ text: textAt(found.body, path) }, 'text');
  return {
    ...tokens,
    extra: { ...tokens.extra, ...valuesIn(found.body, lookup.values ?? {}) },
    subject: label(lookup.id) ?? tokens.subject,
    account: label(lookup.name) ?? tokens.account ?? label(lookup.id),
  };
}
