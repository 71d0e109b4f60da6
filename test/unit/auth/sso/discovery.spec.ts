import { type Egress, EgressError } from '../../../../lib/egress';
import { OidcClient } from '../../../../services/auth/sso/oidc';
import { ManualClock } from '../../../support/manual-clock';

const provider = { issuer: 'https://id.test', clientId: 'x', clientSecret: null, scopes: ['openid'] };

let requests: number;
let reachable: boolean;
const clock = new ManualClock();
beforeEach(() => {
  requests = 0;
  reachable = false;
});

const metadata = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
});
const egress = {
  async request({ url }: { url: string }) {
    requests += 1;
    if (!reachable) throw new EgressError('connect', 'the connection was refused');
    const body = Buffer.from(JSON.stringify(metadata(new URL(url).origin)));
    return { status: 200, headers: { 'content-type': 'application/json' }, body };
  },
} as unknown as Egress;
const begin = (client: OidcClient, issuer = provider.issuer) =>
  client.begin({ ...provider, issuer }, 'https://flows.test/callback');

describe('metadata of an OpenID provider that cannot be read', () => {
  it('are not requested again for ten seconds, and each login fails with the same error', async () => {
    const client = new OidcClient(egress, [], clock);
    for (let n = 0; n < 5; n += 1) await expect(begin(client)).rejects.toMatchObject({ type: 'provider_failed' });
    expect(requests).toBe(1);
    clock.advance(10_000);
    reachable = true;
    expect((await begin(client)).location).toContain('https://id.test/authorize?');
    expect(requests).toBe(2);
  });

  it('of one provider do not affect another one', async () => {
    const client = new OidcClient(egress, [], clock);
    await expect(begin(client)).rejects.toMatchObject({ type: 'provider_failed' });
    reachable = true;
    expect((await begin(client, 'https://other.test')).location).toContain('https://other.test/authorize?');
  });
});
