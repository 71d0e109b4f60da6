import type { Egress, EgressRequest } from '../../../../lib/egress';
import { systemClock } from '../../../../lib/clock';
import { OidcClient } from '../../../../services/auth/sso/oidc';

/** An egress that answers each request with the document. */
const serving = (document: object, asked: EgressRequest[]): Egress => ({
  async request(request) {
    asked.push(request);
    const body = Buffer.from(JSON.stringify(document));
    return { status: 200, headers: { 'content-type': 'application/json' }, body, url: request.url, downgraded: false };
  },
  close: async () => {},
});

const begin = (issuer: string, announced: string, asked: EgressRequest[] = []) => {
  const metadata = {
    issuer: announced,
    authorization_endpoint: 'https://id.test/a',
    token_endpoint: 'https://id.test/t',
  };
  const client = new OidcClient(serving(metadata, asked), [], systemClock);
  return client.begin({ issuer, clientId: 'c', clientSecret: null, scopes: ['openid'] }, 'https://flows.test/back');
};

describe('metadata of an issuer', () => {
  it('are requested with limits, and redirects are not followed', async () => {
    const asked: EgressRequest[] = [];
    await begin('https://id.test/own', 'https://id.test/own', asked);
    expect(asked).toEqual([
      expect.objectContaining({
        url: 'https://id.test/own/.well-known/openid-configuration',
        timeoutMs: 10_000,
        maxBytes: 256 * 1024,
        maxRedirects: 0,
      }),
    ]);
  });

  it.each([
    [
      'those of all tenants of a directory',
      'https://login.microsoftonline.com/common/v2.0',
      'https://login.microsoftonline.com/{tenantid}/v2.0',
    ],
    ['those of another policy of a directory', 'https://x.b2clogin.com/a/v2.0', 'https://x.b2clogin.com/b/v2.0'],
    ['those of another host', 'https://id.test', 'https://evil.test'],
    ['those without a valid issuer', 'https://id.test', 'unknown'],
  ])('%s are refused: users of another issuer do not belong to this tenant', async (_, issuer, announced) => {
    await expect(begin(issuer, announced)).rejects.toMatchObject({ type: 'provider_failed' });
  });

  it('with an address without https are refused, and no code is sent there', async () => {
    const asked: EgressRequest[] = [];
    const issuer = 'https://id.test';
    const metadata = { issuer, authorization_endpoint: 'https://id.test/a', token_endpoint: 'http://id.test/t' };
    const client = new OidcClient(serving(metadata, asked), [], systemClock);
    const provider = { issuer, clientId: 'c', clientSecret: 'secret', scopes: ['openid'] };
    const { request } = await client.begin(provider, 'https://flows.test/back');
    await expect(client.finish(provider, request, { code: 'c', state: request.id }, ['email'])).rejects.toMatchObject({
      type: 'provider_failed',
      message: expect.stringContaining('without https'),
    });
    expect(asked.map(({ url }) => url)).toEqual([`${issuer}/.well-known/openid-configuration`]);
  });
});
