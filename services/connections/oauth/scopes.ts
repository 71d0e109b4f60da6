const MAX_SCOPES = 100;
/** Limit of all scopes together: they are part of an address and a cookie. */
const MAX_SCOPES_CHARS = 2_000;
/** RFC 6749 section 3.3. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,300}$/;

/** What is wrong with scopes; null when they are well-formed. Pure. */
export function scopesProblem(scopes: readonly string[]): string | null {
  const wellFormed = scopes.every((scope) => SCOPE.test(scope) && !scope.includes(','));
  if (scopes.length <= MAX_SCOPES && scopes.join(' ').length <= MAX_SCOPES_CHARS && wellFormed) return null;
  return `must be at most ${MAX_SCOPES} names without spaces, commas, quotes and backslashes, ${MAX_SCOPES_CHARS} characters in total`;
}
