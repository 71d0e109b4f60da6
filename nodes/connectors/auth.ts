import type { Account, Connector, ConnectorRequest } from './contract';
import { InvalidInputError } from './invalid-input-error';

/** Adds the credentials of an account to a request. */
export type Sign = Connector['sign'];

/** A credential of an account. @throws InvalidInputError if it is missing */
export function field({ credentials }: Account, name: string): string {
  const value = Object.hasOwn(credentials, name) ? credentials[name] : undefined;
  if (value === undefined || value === '') throw new InvalidInputError(`the connection has no "${name}"`);
  return value;
}

/** A credential of an account, or a default. */
export const fieldOr = ({ credentials }: Account, name: string, absent = ''): string =>
  (Object.hasOwn(credentials, name) ? credentials[name] : undefined) || absent;

/** Adds headers with lower-case names, which replace others of the same name. */
export const withHeaders = (
  request: ConnectorRequest,
  headers: Readonly<Record<string, string>>,
): ConnectorRequest => ({ ...request, headers: { ...request.headers, ...headers } });

/** `Authorization: Bearer <field>` (RFC 6750). */
export const bearer = (name: string): Sign => headerKey('authorization', name, 'Bearer ');

/** The access token of an OAuth connection as bearer token; the credentials of another one as given. */
export const oauthOr =
  (manual: Sign): Sign =>
  (request, account) =>
    (fieldOr(account, 'access_token') === '' ? manual : bearer('access_token'))(request, account);

/** `Authorization: Basic` (RFC 7617) with two fields. `{text: 'x'}` is a fixed password. */
export const basic =
  (user: string, password: string | { readonly text: string }): Sign =>
  (request, account) => {
    if (isAnonymous(account)) return request;
    const secret = typeof password === 'string' ? fieldOr(account, password) : password.text;
    const pair = Buffer.from(`${field(account, user)}:${secret}`).toString('base64');
    return withHeaders(request, { authorization: `Basic ${pair}` });
  };

/** A header with a field, after a prefix such as `Token `. */
export const headerKey =
  (header: string, name: string, prefix = ''): Sign =>
  (request, account) =>
    isAnonymous(account) ? request : withHeaders(request, { [header.toLowerCase()]: prefix + field(account, name) });

/** A query parameter with a field. */
export const queryKey =
  (parameter: string, name: string): Sign =>
  (request, account) =>
    isAnonymous(account) ? request : { ...request, query: { ...request.query, [parameter]: field(account, name) } };

/** Headers of every request; those of the request itself win. Names are lower case. */
export const withDefaultHeaders =
  (headers: Readonly<Record<string, string>>): Sign =>
  (request) => ({ ...request, headers: { ...headers, ...request.headers } });

/** Applies several, in order. */
export const allOf =
  (...signs: readonly Sign[]): Sign =>
  (request, account) =>
    signs.reduce((signed, sign) => sign(signed, account), request);

/** True if the connector is called without credentials. */
const isAnonymous = ({ credentials }: Account): boolean => Object.keys(credentials).length === 0;

/** Values to redact: those of secret fields, and of fields that the connector does not declare. */
export function secretsOf({ auth }: Pick<Connector, 'auth'>, { credentials }: Account): string[] {
  const plain = new Set(auth.fields.flatMap(({ name, secret }) => (secret ? [] : [name])));
  return Object.entries(credentials).flatMap(([name, value]) => (plain.has(name) || value.length <= 3 ? [] : [value]));
}
