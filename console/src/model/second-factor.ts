/** What an answer with the code `second_factor_challenge` has in `second_factor`. */
export interface FactorChallenge {
  readonly challenge: string;
  readonly methods: readonly string[];
}

/** The challenge in the body of an error; null when there is none. */
export function challengeOf(body: Readonly<Record<string, unknown>>): FactorChallenge | null {
  const found = body.second_factor;
  if (typeof found !== 'object' || found === null) return null;
  const { challenge, methods } = found as { challenge?: unknown; methods?: unknown };
  if (typeof challenge !== 'string') return null;
  return { challenge, methods: Array.isArray(methods) ? methods.map(String) : [] };
}

/** A secret in groups of four, as people type it. */
export const groupsOfFour = (text: string): string => text.replaceAll(/(.{4})(?=.)/g, '$1 ');

/** What a user typed as a code, without the spaces that apps show. */
export const plainCode = (text: string): string => text.replaceAll(/\s+/g, '');

export type FactorMethod = 'passkey' | 'totp' | 'recovery_code';
const KNOWN: readonly FactorMethod[] = ['passkey', 'totp', 'recovery_code'];

/** The methods of a challenge that the page can ask for, the usual one first; a code where none is known. */
export function methodsOf(named: readonly string[], hasPasskeys: boolean): [FactorMethod, ...FactorMethod[]] {
  const [first = 'totp', ...others] = KNOWN.filter(
    (method) => named.includes(method) && (method !== 'passkey' || hasPasskeys),
  );
  return [first, ...others];
}
