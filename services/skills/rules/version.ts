import { valid } from 'semver';

/** One to three numbers; a pre-release needs three. Stricter than `semver`, which accepts `v1.0.0` and drops build metadata. */
const VERSION = /^\d{1,9}(\.\d{1,9}){0,2}$|^\d{1,9}\.\d{1,9}\.\d{1,9}-[\w.-]+$/;
const MAX_VERSION_CHARS = 64;

/** Parses a Semantic Versioning 2.0.0 version without build metadata; `1` and `1.2` are completed. Null if invalid. */
export function parseVersion(text: string): string | null {
  if (text.length > MAX_VERSION_CHARS || !VERSION.test(text)) return null;
  const missing = text.includes('-') ? 0 : 3 - text.split('.').length;
  return valid(text + '.0'.repeat(missing));
}
