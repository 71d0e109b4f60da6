import { isHeaderValue } from '../../../lib/egress';
import { isObject, type Json, type JsonObject } from '../../../lib/json';
import { fieldOr, withHeaders } from '../auth';
import type { Account, Connector, ConnectorRequest, CredentialField, HttpAction } from '../contract';
import { urlPath } from '../http/path';
import { outputOf } from '../../schema';
import { InvalidInputError } from '../invalid-input-error';
import type { ImportedAction, ImportedHead, ImportedParameter, ImportedScheme } from './definition';

/** The connector that a definition makes, with these of its actions. */
export function importedConnector(head: ImportedHead, actions: readonly ImportedAction[]): Connector {
  const { schemes, docs, base } = head;
  return {
    name: head.name,
    title: head.title,
    description: head.description,
    category: 'Custom',
    docs: docs ?? base,
    auth: { required: false, fields: fieldsOf(schemes) },
    base: () => base,
    sign: (request, account) => schemes.reduce((signed, scheme) => signedBy(scheme, signed, account), request),
    actions: actions.map(importedAction),
  };
}

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);
/** Doing these again changes nothing more (RFC 9110 section 9.2.2). */
const IDEMPOTENT: ReadonlySet<string> = new Set(['PUT', 'DELETE']);

const importedAction = (action: ImportedAction): HttpAction => ({
  kind: 'http',
  name: action.name,
  title: action.title,
  description: action.description,
  effect: READING.has(action.method) ? 'read' : 'write',
  repeatable: READING.has(action.method) || IDEMPOTENT.has(action.method),
  input: action.input,
  required: action.required,
  output: outputOf({}),
  request: (input) => requestOf(action, input),
});

/** The request of an operation. Pure. @throws InvalidInputError */
function requestOf(action: ImportedAction, input: JsonObject): ConnectorRequest {
  const given = action.parameters.flatMap((parameter): [ImportedParameter, Json][] => {
    const value = Object.hasOwn(input, parameter.key) ? input[parameter.key] : undefined;
    return value === undefined || value === null ? [] : [[parameter, value]];
  });
  const inPlace = (place: ImportedParameter['in']) => given.filter(([parameter]) => parameter.in === place);
  const cookies = inPlace('cookie').map(([{ name }, value]) => `${name}=${encodeURIComponent(plain(value))}`);
  return {
    method: action.method,
    url: pathOf(action.path, new Map(inPlace('path').map(([{ name }, value]) => [name, plain(value)]))),
    query: Object.fromEntries(inPlace('query').flatMap(([parameter, value]) => queryOf(parameter, value))),
    headers: {
      ...(cookies.length === 0 ? {} : { cookie: cookies.join('; ') }),
      ...Object.fromEntries(inPlace('header').map(([{ name }, value]) => [name.toLowerCase(), headerOf(name, value)])),
      ...(action.body === null || input.body === undefined ? {} : { 'content-type': action.body.type }),
    },
    ...(action.body === null || input.body === undefined ? {} : bodyOf(action.body.kind, input.body)),
  };
}

function bodyOf(
  kind: NonNullable<ImportedAction['body']>['kind'],
  body: Json,
): Pick<ConnectorRequest, 'body' | 'form'> {
  if (kind === 'json') return { body: Buffer.from(JSON.stringify(body)) };
  if (kind === 'form') {
    if (!isObject(body)) throw new InvalidInputError('"body" must be an object: it is sent as a form');
    return { body, form: true };
  }
  return { body: plain(body) };
}

/** The path with its parameters, each of which stays within its part. @throws InvalidInputError */
function pathOf(template: string, values: ReadonlyMap<string, string>): string {
  const texts = template.split(/\{[^{}]*\}/);
  const names = [...template.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name);
  const filled = names.map((name) => {
    const value = values.get(name);
    if (value === undefined) throw new InvalidInputError(`"${name}" is missing: it is a part of the address`);
    return value;
  });
  return urlPath(Object.assign(texts, { raw: texts }), ...filled);
}

function queryOf({ name, explode, deep }: ImportedParameter, value: Json): [string, string | string[]][] {
  if (Array.isArray(value)) return [[name, explode ? value.map(plain) : value.map(plain).join(',')]];
  if (!isObject(value)) return [[name, plain(value)]];
  const members = Object.entries(value).map(([key, member]): [string, string] => [key, plain(member)]);
  if (deep) return members.map(([key, member]) => [`${name}[${key}]`, member]);
  return explode ? members : [[name, members.flat().join(',')]];
}

function headerOf(name: string, value: Json): string {
  const text = plain(value);
  if (!isHeaderValue(text)) throw new InvalidInputError(`the header ${name} has a forbidden character`);
  return text;
}

/** A value as a text: lists by commas, objects as JSON. */
function plain(value: Json): string {
  if (Array.isArray(value)) return value.map(plain).join(',');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

function signedBy(scheme: ImportedScheme, request: ConnectorRequest, account: Account): ConnectorRequest {
  switch (scheme.kind) {
    case 'basic': {
      const user = fieldOr(account, scheme.user);
      if (user === '') return request;
      const pair = Buffer.from(`${user}:${fieldOr(account, scheme.password)}`).toString('base64');
      return withHeaders(request, { authorization: `Basic ${pair}` });
    }
    case 'bearer': {
      const token = fieldOr(account, scheme.field);
      return token === '' ? request : withHeaders(request, { authorization: `Bearer ${token}` });
    }
    case 'api_key': {
      const key = fieldOr(account, scheme.field);
      return key === '' ? request : withKey(scheme, key, request);
    }
  }
}

function withKey(
  { in: place, name }: Extract<ImportedScheme, { kind: 'api_key' }>,
  key: string,
  request: ConnectorRequest,
): ConnectorRequest {
  if (place === 'query') return { ...request, query: { ...request.query, [name]: key } };
  if (place === 'header') return withHeaders(request, { [name.toLowerCase()]: key });
  const cookie = [request.headers?.cookie, `${name}=${encodeURIComponent(key)}`].filter(Boolean).join('; ');
  return withHeaders(request, { cookie });
}

/** The fields of connections; none is required, since any of the schemes may do. */
function fieldsOf(schemes: readonly ImportedScheme[]): CredentialField[] {
  const fields = schemes.flatMap((scheme): CredentialField[] => {
    const { description } = scheme;
    switch (scheme.kind) {
      case 'basic':
        return [
          { name: scheme.user, title: 'User name', description, secret: false, required: false },
          {
            name: scheme.password,
            title: 'Password',
            description: 'Password of the user.',
            secret: true,
            required: false,
          },
        ];
      case 'bearer':
        return [{ name: scheme.field, title: 'Token', description, secret: true, required: false }];
      case 'api_key':
        return [{ name: scheme.field, title: scheme.name, description, secret: true, required: false }];
    }
  });
  return [...new Map(fields.map((each) => [each.name, each])).values()];
}
