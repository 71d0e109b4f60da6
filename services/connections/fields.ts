import { AppError, type ErrorDetail } from '../../lib/errors';
import { isObject } from '../../lib/json';
import type { CredentialField } from '../../nodes/connectors/contract';

const MAX_VALUE_CHARS = 16 * 1024;
const HOST = /^(?=.{1,253}$)\w[\w-]{0,62}(?:\.\w[\w-]{0,62})*\.?$|^\[?[\da-f]*:[\da-f:.]+\]?$/i;
const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,190}$/;

/**
 * Validates credentials by a connector's fields and adds defaults. Values are returned as texts. Pure. Messages contain no
 * values. @throws AppError invalid_request with all faults
 */
export function parseCredentials(fields: readonly CredentialField[], given: unknown): Record<string, string> {
  if (!isObject(given)) throw new AppError('invalid_request', "The 'credentials' must be an object");
  const known = new Set(fields.map(({ name }) => name));
  const unknown: ErrorDetail[] = Object.keys(given)
    .filter((name) => !known.has(name))
    .map((name) => ({
      path: `credentials.${name.slice(0, 60)}`,
      message: `is not a field of this connector; it has ${[...known].join(', ') || 'none'}`,
    }));
  const details = [...unknown];
  const texts: [string, string][] = [];
  for (const field of fields) {
    const text = textOf(Object.hasOwn(given, field.name) ? given[field.name] : undefined);
    if (text === null) details.push({ path: pathOf(field), message: 'must be a text, a number or a boolean' });
    else if (text !== '') {
      const fault = problemOf(field, text);
      if (fault === null) texts.push([field.name, text]);
      else details.push({ path: pathOf(field), message: fault });
    } else if (field.default !== undefined) texts.push([field.name, field.default]);
    else if (field.required) details.push({ path: pathOf(field), message: `is required: ${field.title}` });
  }
  if (details.length > 0) {
    const summary = details.map(({ path, message }) => `${path} ${message}`).join('; ');
    throw new AppError('invalid_request', `Invalid credentials: ${summary}`, { details });
  }
  return Object.fromEntries(texts);
}

const pathOf = ({ name }: CredentialField): string => `credentials.${name}`;

/** The value as text; empty when it is missing. */
function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'boolean' ? String(value) : null;
}

function problemOf({ format }: CredentialField, text: string): string | null {
  if (text.length > MAX_VALUE_CHARS) return `must have at most ${MAX_VALUE_CHARS} characters`;
  switch (format) {
    case 'url':
      return isHttpUrl(text) ? null : 'must be a URL such as https://example.com';
    case 'host':
      return HOST.test(text) ? null : 'must be the name or address of a host';
    case 'port':
      return /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535 ? null : 'must be 1 to 65535';
    case 'email':
      return EMAIL.test(text) ? null : 'must be an e-mail address';
    case 'flag':
      return text === 'true' || text === 'false' ? null : 'must be true or false';
    default:
      return null;
  }
}

const isHttpUrl = (text: string): boolean => {
  if (!URL.canParse(text) || /[\s\p{Cc}]/u.test(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === '';
};
