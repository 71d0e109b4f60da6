import {
  acceptsOrigin,
  type RelyingParty,
  relyingPartyOf,
} from '../../../services/auth/factors/passkeys/relying-party';

const partyOf = (baseUrl: string | null, frontendUrl: string | null = null): RelyingParty | null =>
  relyingPartyOf({ baseUrl, signIn: { frontendUrl } });

describe('the relying party', () => {
  test('is localhost without an address, on every port', () => {
    const party = partyOf(null) as RelyingParty;
    expect(party.id).toBe('localhost');
    for (const origin of ['http://localhost:3000', 'http://localhost:8080', 'https://localhost', 'http://localhost'])
      expect([origin, acceptsOrigin(party, origin)]).toEqual([origin, true]);
    for (const origin of [
      'http://127.0.0.1:3000',
      'http://localhost.evil.example',
      'http://evil.example/localhost',
      'http://localhost:3000/',
      'file://localhost',
      'null',
      '',
    ])
      expect([origin, acceptsOrigin(party, origin)]).toEqual([origin, false]);
  });

  test('is the host of BASE_URL, or of FRONTEND_URL where there is one', () => {
    expect(partyOf('https://flow.example.com/api')).toEqual({
      kind: 'configured',
      id: 'flow.example.com',
      origins: ['https://flow.example.com'],
    });
    expect(partyOf('https://api.example.com', 'https://example.com/console')).toEqual({
      kind: 'configured',
      id: 'example.com',
      origins: ['https://example.com', 'https://api.example.com'],
    });
    expect(partyOf('https://api.example.com', 'https://app.example.com:8443')).toMatchObject({
      id: 'app.example.com',
      origins: ['https://app.example.com:8443'],
    });
    expect(partyOf('http://localhost:3000')).toMatchObject({ id: 'localhost', origins: ['http://localhost:3000'] });
  });

  test.each([['http://flow.example.com'], ['https://192.168.1.5'], ['https://[::1]:3000'], ['http://127.0.0.1:3000']])(
    'is missing for %s, where browsers offer no passkeys',
    (address) => {
      expect(partyOf(address)).toBeNull();
      expect(partyOf('https://flow.example.com', address)).toBeNull();
    },
  );

  test('does not accept an origin that looks like it', () => {
    const party = partyOf('https://example.com') as RelyingParty;
    for (const origin of [
      'https://notexample.com',
      'https://a.example.com',
      'http://example.com',
      'https://example.com:1',
    ])
      expect([origin, acceptsOrigin(party, origin)]).toEqual([origin, false]);
  });
});
