import type { Account, CredentialField } from '../contract';
import { field, fieldOr } from '../auth';
import { hidden, shown } from '../fields';
import { Unusable } from '../unusable';

const SCHEMES = ['none', 'basic', 'bearer', 'api_key', 'digest', 'oauth2', 'aws'] as const;

/** How requests of an account show who asks. */
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
  shown('base_url', 'Address', 'What paths of requests are put behind; credentials go nowhere else.', {
    required: true,
    example: 'https://api.example.com/v1',
    format: 'url',
  }),
  shown('auth', 'Authentication', `How requests show who asks: ${SCHEMES.join(', ')}.`, {
    default: 'bearer',
    example: 'bearer',
  }),
  shown('username', 'User name', 'For basic and digest.'),
  hidden('password', 'Password', 'For basic and digest.'),
  hidden('token', 'Token', 'For bearer.'),
  shown('key_name', 'Name of the key', 'For api_key: of the header, parameter or cookie.', { example: 'x-api-key' }),
  shown('key_in', 'Where the key goes', 'For api_key: header, query or cookie.', { default: 'header' }),
  hidden('key', 'Key', 'For api_key.'),
  shown('token_url', 'Token address', 'For oauth2 (client credentials).', {
    example: 'https://login.example.com/token',
    format: 'url',
  }),
  shown('client_id', 'Client id', 'For oauth2.'),
  hidden('client_secret', 'Client secret', 'For oauth2.'),
  shown('scope', 'Scope', 'For oauth2.', { example: 'orders.read' }),
  shown('client_auth', 'Client id goes', 'For oauth2: header (basic), or body.', { default: 'header' }),
  shown('access_key_id', 'Access key', 'For aws (Signature Version 4).'),
  hidden('secret_access_key', 'Secret key', 'For aws.'),
  hidden('session_token', 'Session token', 'For aws, of credentials that count for a while.'),
  shown('region', 'Region', 'For aws.', { example: 'eu-central-1' }),
  shown('service', 'Service', 'For aws.', { example: 'execute-api' }),
  hidden('headers', 'Further headers', 'An object in JSON, sent with every request.', {
    example: '{"x-tenant": "acme"}',
  }),
];

/** How an account shows who it is. @throws Unusable */
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
        throw new Unusable('"key_in" of the connection must be header, query or cookie');
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
      throw new Unusable(`"auth" of the connection must be one of ${SCHEMES.join(', ')}`);
  }
}
