import type { Account, CredentialField } from '../contract';
import { field, fieldOr } from '../auth';
import { InvalidInputError } from '../invalid-input-error';
import { plainField, secretField } from '../credentials';

const SCHEMES = ['none', 'basic', 'bearer', 'api_key', 'digest', 'oauth2', 'aws'] as const;

/** Authentication methods of an account. */
export type Credential =
  | { readonly kind: 'none' }
  | { readonly kind: 'basic' | 'digest'; readonly username: string; readonly password: string }
  | { readonly kind: 'bearer'; readonly token: string }
  | {
      readonly kind: 'api_key';
      readonly in: 'header' | 'query' | 'cookie';
      readonly name: string;
      readonly key: string;
    }
  | {
      readonly kind: 'oauth2';
      readonly tokenUrl: string;
      readonly clientId: string;
      readonly clientSecret: string;
      readonly scope: string;
      readonly inBody: boolean;
    }
  | {
      readonly kind: 'aws';
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
      readonly sessionToken: string;
      readonly region: string;
      readonly service: string;
    };

/** Fields of connections to an API of anybody; which of them count depends on `auth`. */
export const FIELDS: readonly CredentialField[] = [
  plainField(
    'base_url',
    'Address',
    'Base URL of all requests; credentials are sent only there.',
    'https://api.example.com/v1',
    { format: 'url' },
  ),
  plainField('auth', 'Authentication', `How requests show who asks: ${SCHEMES.join(', ')}.`, 'bearer', {
    required: false,
    default: 'bearer',
  }),
  plainField('username', 'User name', 'For basic and digest authentication.', { required: false }),
  secretField('password', 'Password', 'For basic and digest authentication.', { required: false }),
  secretField('token', 'Token', 'For bearer authentication.', { required: false }),
  plainField(
    'key_name',
    'Name of the key',
    'For api_key: name of the header, query parameter or cookie.',
    'x-api-key',
    { required: false },
  ),
  plainField('key_in', 'Where the key goes', 'For api_key: header, query or cookie.', {
    required: false,
    default: 'header',
  }),
  secretField('key', 'Key', 'For api_key: the key.', { required: false }),
  plainField('token_url', 'Token address', 'For oauth2 (client credentials).', 'https://login.example.com/token', {
    required: false,
    format: 'url',
  }),
  plainField('client_id', 'Client id', 'For oauth2.', { required: false }),
  secretField('client_secret', 'Client secret', 'For oauth2.', { required: false }),
  plainField('scope', 'Scope', 'For oauth2.', 'orders.read', { required: false }),
  plainField('client_auth', 'Client id goes', 'For oauth2: header (basic), or body.', {
    required: false,
    default: 'header',
  }),
  plainField('access_key_id', 'Access key', 'For aws (Signature Version 4).', { required: false }),
  secretField('secret_access_key', 'Secret key', 'For aws.', { required: false }),
  secretField('session_token', 'Session token', 'For aws: session token of temporary credentials.', {
    required: false,
  }),
  plainField('region', 'Region', 'For aws.', 'eu-central-1', { required: false }),
  plainField('service', 'Service', 'For aws.', 'execute-api', { required: false }),
  secretField(
    'headers',
    'Further headers',
    'JSON object of headers that are sent with every request.',
    '{"x-tenant": "acme"}',
    { required: false },
  ),
];

/** How an account shows who it is. @throws InvalidInputError */
export function credentialOf(account: Account): Credential {
  const auth = fieldOr(account, 'auth', 'bearer');
  switch (auth) {
    case 'none':
      return { kind: 'none' };
    case 'basic':
    case 'digest':
      return { kind: auth, username: field(account, 'username'), password: fieldOr(account, 'password') };
    case 'bearer':
      return { kind: 'bearer', token: field(account, 'token') };
    case 'api_key': {
      const place = fieldOr(account, 'key_in', 'header');
      if (place !== 'header' && place !== 'query' && place !== 'cookie')
        throw new InvalidInputError('"key_in" of the connection must be header, query or cookie');
      return { kind: 'api_key', in: place, name: field(account, 'key_name'), key: field(account, 'key') };
    }
    case 'oauth2':
      return {
        kind: 'oauth2',
        tokenUrl: field(account, 'token_url'),
        clientId: field(account, 'client_id'),
        clientSecret: field(account, 'client_secret'),
        scope: fieldOr(account, 'scope'),
        inBody: fieldOr(account, 'client_auth', 'header') === 'body',
      };
    case 'aws':
      return {
        kind: 'aws',
        accessKeyId: field(account, 'access_key_id'),
        secretAccessKey: field(account, 'secret_access_key'),
        sessionToken: fieldOr(account, 'session_token'),
        region: field(account, 'region'),
        service: field(account, 'service'),
      };
    default:
      throw new InvalidInputError(`"auth" of the connection must be one of ${SCHEMES.join(', ')}`);
  }
}
