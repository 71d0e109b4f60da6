import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

/** Deliberate errors of a provider. */
export interface Wrong {
  /** Overrides fields of its metadata. */
  readonly metadata?: (issuer: string) => Record<string, unknown>;
  /** The ID token's text, instead of an honest one with these claims. */
  readonly token?: (claims: JWTPayload, sign: Sign) => Promise<string> | string;
  /** Status and body of the token endpoint. */
  readonly answer?: { readonly status: number; readonly body: string; readonly type?: string };
  readonly userinfo?: Record<string, unknown>;
}

/** Signs claims; with the key that the provider publishes, unless another is given. */
export type Sign = (
  claims: JWTPayload,
  options?: { key?: CryptoKey | Uint8Array; alg?: string; kid?: string },
) => Promise<string>;

/** A minimal OpenID provider with errors that a test chooses. */
export interface HostileProvider {
  readonly issuer: string;
  wrong: Wrong;
  /** Paths of its requests. */
  readonly asked: string[];
  /** The address by which the browser comes back from that authorization request. */
  back(location: string, change?: Record<string, string>): string;
  /** Signs with another key from now on, and publishes only that one. */
  rotate(): Promise<void>;
  close(): Promise<void>;
}

export async function startHostileProvider(): Promise<HostileProvider> {
  let pair = await generateKeyPair('RS256');
  let kid = 'first';
  let nonce = '';
  let client = '';
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0] as string;
    asked.push(path);
    request.resume();
    const send = (status: number, body: string, type = 'application/json'): void =>
      void response.writeHead(status, { 'content-type': type }).end(body);
    const serve = async (): Promise<void> => {
      const { wrong } = provider;
      if (path === '/.well-known/openid-configuration') {
        const metadata = {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/jwks`,
          userinfo_endpoint: `${issuer}/userinfo`,
          id_token_signing_alg_values_supported: ['RS256'],
          ...wrong.metadata?.(issuer),
        };
        return send(200, JSON.stringify(metadata));
      }
      if (path === '/jwks') {
        return send(
          200,
          JSON.stringify({ keys: [{ ...(await exportJWK(pair.publicKey)), kid, alg: 'RS256', use: 'sig' }] }),
        );
      }
      if (path === '/userinfo') return send(200, JSON.stringify(wrong.userinfo ?? {}));
      if (path !== '/token') return send(404, '{}');
      if (wrong.answer !== undefined) return send(wrong.answer.status, wrong.answer.body, wrong.answer.type);
      const now = Math.floor(Date.now() / 1_000);
      const claims = {
        iss: issuer,
        aud: client,
        sub: 'ann',
        iat: now,
        exp: now + 300,
        nonce,
        email: 'ann@example.com',
        email_verified: true,
      };
      const sign: Sign = (payload, { key = pair.privateKey, alg = 'RS256', kid: id = kid } = {}) =>
        new SignJWT(payload).setProtectedHeader({ alg, kid: id }).sign(key);
      const id_token = await (wrong.token?.(claims, sign) ?? sign(claims));
      send(200, JSON.stringify({ access_token: 'a', token_type: 'Bearer', id_token }));
    };
    serve().catch((fault: unknown) => send(500, String(fault)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider: HostileProvider = {
    issuer,
    asked,
    wrong: {},
    back(location, change = {}) {
      const { searchParams } = new URL(location);
      nonce = searchParams.get('nonce') ?? '';
      client = searchParams.get('client_id') ?? '';
      const answer = new URLSearchParams({ code: 'c', state: searchParams.get('state') ?? '', ...change });
      return `${searchParams.get('redirect_uri')}?${answer}`;
    },
    async rotate() {
      pair = await generateKeyPair('RS256');
      kid = 'second';
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return provider;
}
