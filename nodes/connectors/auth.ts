import type { Account, Connector, ConnectorRequest } from './contract';
import { Unusable } from './unusable';

/** How a request gets the account's credentials. */
export type Sign = Connector['sign'];

/** A field of an account. @throws Unusable where it has none of that name */
export function field({ credentials }: Account, name: string): string {
  const value = Object.hasOwn(credentials, name) ? credentials[name] : undefined;
  if (value === undefined || value === '') throw new Unusable(`the connection has no "${name}"`);
  return value;
}

/** A field of an account, or nothing. */
export const fieldOr = ({ credentials }: Account, name: string, absent = ''): string =>
  (Object.hasOwn(credentials, name) ? credentials[name] : undefined) || absent;

/** The request with these headers in place of its own of those names, which are lower case. */
export const withHeaders = (
  request: ConnectorRequest,
  headers: Readonly<Record<string, string>>,
): ConnectorRequest => ({ ...request, headers: { ...request.headers, ...headers } });

/** `Authorization: Bearer <field>` (RFC 6750). */
export const bearer = (name: string): Sign => headerKey('authorization', name, 'Bearer ');

/** `Authorization: Basic` (RFC 7617) of two fields. `password` may be a text of its own: `{text: 'x'}`. */
export const basic =
  (user: string, password: string | { readonly text: string }): Sign =>
  (request, account) => {
    if (isAnonymous(account)) return request;
    const secret = typeof password === 'string' ? fieldOr(account, password) : password.text;
    const pair = Buffer.from(`${field(account, user)}:${secret}`).toString('base64');
    return withHeaders(request, { authorization: `Basic ${pair}` });
  };

/** A header of a field, behind a word such as `Token `. */
export const headerKey =
  (header: string, name: string, before = ''): Sign =>
  (request, account) =>
    isAnonymous(account) ? request : withHeaders(request, { [header.toLowerCase()]: before + field(account, name) });

/** A query parameter of a field. */
export const queryKey =
  (parameter: string, name: string): Sign =>
  (request, account) =>
    isAnonymous(account) ? request : { ...request, query: { ...request.query, [parameter]: field(account, name) } };

/** Headers that every request carries; its own count before these. Names are lower case. */
export const always =
  (headers: Readonly<Record<string, string>>): Sign =>
  (request) => ({ ...request, headers: { ...headers, ...request.headers } });

/** One after the other. */
export const all =
  (...signs: readonly Sign[]): Sign =>
  (request, account) =>
    signs.reduce((signed, sign) => sign(signed, account), request);

/** An empty account: the connector is called without credentials. */
const isAnonymous = ({ credentials }: Account): boolean => Object.keys(credentials).length === 0;

/** Values of an account that must show nowhere: those of secret fields, and of fields that the connector does not know. */
export function secretsOf({ auth }: Pick<Connector, 'auth'>, { credentials }: Account): string[] {
  const plain = new Set(auth.fields.flatMap(({ name, secret }) => (secret ? [] : [name])));
  return Object.entries(credentials).flatMap(([name, value]) => (plain.has(name) || value.length <= 3 ? [] : [value]));
}
