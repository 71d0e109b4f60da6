import { ConfigError, readConfig } from '../../../lib/config';
import { readTrustProxy } from '../../../lib/proxy-config';
import { type Claims, clientOf } from '../../../services/api-gateway/http/client';

const PROXIES = '10.0.0.1, 10.1.0.0/16, ::1, fd00::/8';
const trusted = readTrustProxy(() => PROXIES, []);

const claims = (given: Partial<Claims>): Claims => ({
  peer: '10.0.0.1',
  host: 'inside:3000',
  forwardedFor: undefined,
  forwardedProto: undefined,
  forwardedHost: undefined,
  ...given,
});
const addressOf = (given: Partial<Claims>): string => clientOf(claims(given), trusted).address;
const originOf = (given: Partial<Claims>): string | null => clientOf(claims(given), trusted).origin;

describe('the address of a client', () => {
  test.each<[string, Partial<Claims>, string]>([
    [
      'is the connection, whatever an untrusted client writes',
      { peer: '203.0.113.9', forwardedFor: '1.2.3.4' },
      '203.0.113.9',
    ],
    ['is what a trusted proxy has written', { forwardedFor: '1.2.3.4' }, '1.2.3.4'],
    ['is not what the client wrote before it', { forwardedFor: '6.6.6.6, 10.0.0.1, 1.2.3.4' }, '1.2.3.4'],
    ['is found behind several proxies of ours', { forwardedFor: '6.6.6.6, 1.2.3.4, 10.1.2.3' }, '1.2.3.4'],
    ['is the farthest proxy when there are no others', { forwardedFor: '10.1.2.3, 10.1.9.9' }, '10.1.2.3'],
    ['is the proxy when it forwards no address', {}, '10.0.0.1'],
    ['is the proxy where it tells no address', { forwardedFor: '6.6.6.6, unknown' }, '10.0.0.1'],
    ['is the proxy where it tells half an address', { forwardedFor: '6.6.6.6, 1.2.3' }, '10.0.0.1'],
    ['may come with a port', { forwardedFor: '1.2.3.4:5678' }, '1.2.3.4'],
    ['may be IPv6', { peer: '::1', forwardedFor: '[2001:db8::7]:443' }, '2001:db8::7'],
    [
      'is IPv4 also on a socket of both families',
      { peer: '::ffff:10.0.0.1', forwardedFor: '::ffff:1.2.3.4' },
      '1.2.3.4',
    ],
    ['is empty where the connection has none', { peer: undefined, forwardedFor: '1.2.3.4' }, ''],
  ])('%s', (_what, given, address) => expect(addressOf(given)).toBe(address));

  test('is the connection when no proxy is trusted', () => {
    expect(clientOf(claims({ forwardedFor: '1.2.3.4' }), []).address).toBe('10.0.0.1');
  });
});

describe('the origin that a client used', () => {
  test.each<[string, Partial<Claims>, string | null]>([
    ['is the Host of his own connection', { peer: '203.0.113.9' }, 'http://inside:3000'],
    [
      'is not what an untrusted client sends as forwarded',
      { peer: '203.0.113.9', forwardedProto: 'https', forwardedHost: 'evil.example' },
      'http://inside:3000',
    ],
    ['is what the proxy says', { forwardedProto: 'https', forwardedHost: 'a.example:8443' }, 'https://a.example:8443'],
    [
      'is the last word of the nearest proxy',
      { forwardedProto: 'gopher, HTTPS', forwardedHost: 'evil.example, a.example' },
      'https://a.example',
    ],
    ['has the Host where the proxy names none', { forwardedProto: 'https' }, 'https://inside:3000'],
    ['has the Host where the proxy passes on nonsense', { forwardedHost: 'a.example/x@b' }, 'http://inside:3000'],
    ['may be an IPv6 address', { host: '[::1]:3000' }, 'http://[::1]:3000'],
    ['is none without a usable Host', { peer: '203.0.113.9', host: 'a b"><script>' }, null],
    ['is none of a very long Host', { peer: '203.0.113.9', host: `${'a'.repeat(300)}.example` }, null],
  ])('%s', (_what, given, origin) => expect(originOf(given)).toBe(origin));

  test('is parsed quickly from long invalid texts', () => {
    const before = performance.now();
    for (const host of [`${'a'.repeat(250)}!`, `${'a.'.repeat(125)}!`, `a${'-'.repeat(250)}!`]) originOf({ host });
    expect(performance.now() - before).toBeLessThan(1_000);
  });
});

describe('TRUST_PROXY', () => {
  test('is empty when it is not set', () => expect(readConfig({}).trustProxy).toEqual([]));

  test.each(['proxy.example', '10.0.0.1:80', '10.0.0.0/33', '10.0.0.1/8', '*', 'true', '1', 'http://10.0.0.1'])(
    '%s is refused with words',
    (text) => {
      expect(() => readConfig({ TRUST_PROXY: text })).toThrow(ConfigError);
      expect(() => readConfig({ TRUST_PROXY: text })).toThrow(/TRUST_PROXY/);
    },
  );
});
