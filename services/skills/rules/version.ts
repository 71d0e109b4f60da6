import { valid } from 'semver';

/** One, two or three numbers, and a pre-release behind three: `semver` would read `v1.0.0` and drop build metadata. */
const VERSION = /^\d{1,9}(\.\d{1,9}){0,2}$|^\d{1,9}\.\d{1,9}\.\d{1,9}-[\w.-]+$/;
const MAX_VERSION_CHARS = 64;

/** A version by Semantic Versioning 2.0.0 without build metadata; `1` and `1.2` are completed. Null for anything else. */
export function parseVersion(text: string): string | null {
  if (text.length > MAX_VERSION_CHARS || !VERSION.test(text)) return null;
  const missing = text.includes('-') ? 0 : 3 - text.split('.').length;
  return valid(text + '.0'.repeat(missing));
}
