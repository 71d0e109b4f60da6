import type { FactorChallenge } from './second-factor';

/** What a redirect has brought in the fragment of the address: of a sign-in, a connected account or a payment. */
export type Landing =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'challenge'; readonly challenge: FactorChallenge }
  | { readonly kind: 'error'; readonly code: string; readonly message: string }
  | { readonly kind: 'connected'; readonly id: string }
  | { readonly kind: 'claim'; readonly code: string }
  | { readonly kind: 'billing'; readonly outcome: string };

/** Reads a fragment; null when it has none of these. */
export function readLanding(fragment: string): Landing | null {
  const fields = new URLSearchParams(fragment.replace(/^#/, ''));
  const text = (name: string): string | null => fields.get(name) || null;
  const [token, error, connected, claim, billing] = [
    text('token'),
    text('error'),
    text('oauth_connection'),
    text('oauth_claim'),
    text('billing'),
  ];
  if (token !== null) return { kind: 'token', token };
  const challenge = text('challenge');
  if (error === 'second_factor_challenge' && challenge !== null)
    return { kind: 'challenge', challenge: { challenge, methods: (text('methods') ?? '').split(' ') } };
  if (error !== null) return { kind: 'error', code: error, message: text('error_description') ?? error };
  if (connected !== null) return { kind: 'connected', id: connected };
  if (claim !== null) return { kind: 'claim', code: claim };
  return billing === null ? null : { kind: 'billing', outcome: billing };
}
