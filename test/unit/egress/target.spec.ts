import { parseTarget } from '../../../lib/egress/target';

describe('reading a URL', () => {
  test.each([
    ['http://2130706433/', '127.0.0.1'],
    ['http://0x7f000001/', '127.0.0.1'],
    ['http://0177.0.0.01/', '127.0.0.1'],
    ['http://127.1/', '127.0.0.1'],
    ['http://127.0.0.1./', '127.0.0.1'],
    ['http://１２７.0.0.1/', '127.0.0.1'],
    ['http://127%2e0.0.1/', '127.0.0.1'],
    ['http://[::ffff:127.0.0.1]/', '::ffff:7f00:1'],
    ['http://[0:0:0:0:0:0:0:1]/', '::1'],
    ['http://LOCALHOST/', 'localhost'],
    ['http://localhost./', 'localhost'],
    ['http://ⓛocalhost/', 'localhost'],
    ['http://bücher.example/', 'xn--bcher-kva.example'],
    ['http://good.example\\@evil.example/', 'good.example'],
  ])('%s goes to %s', (text, host) => expect(parseTarget(text).host).toBe(host));

  test('port, path and query come out; the fragment does not', () => {
    expect(parseTarget('https://a.example:8443/x y?q=1 2#f')).toMatchObject({
      origin: 'https://a.example:8443',
      port: 8443,
      path: '/x%20y?q=1%202',
      secure: true,
    });
    expect(parseTarget('https://a.example').port).toBe(443);
    expect(parseTarget('http://a.example').port).toBe(80);
  });

  test('a relative location is read against its base', () => {
    expect(parseTarget('../b', 'http://a.example/x/y').url).toBe('http://a.example/b');
    expect(parseTarget('//c.example/z', 'https://a.example/').url).toBe('https://c.example/z');
  });

  test.each([
    ['http://a.example/\r\nHost: evil', 'line break'],
    ['http://a.example/\t', 'line break'],
    ['ht\ntp://a.example/', 'line break'],
    ['http://user:pass@a.example/', 'user name'],
    ['http://user@a.example/', 'user name'],
    ['file:///etc/passwd', 'scheme is file'],
    ['ftp://a.example/', 'scheme is ftp'],
    ['javascript:alert(1)', 'scheme is javascript'],
    ['/relative', 'malformed'],
    ['http://', 'malformed'],
    ['http://a.example:99999/', 'malformed'],
    ['http://[::1', 'malformed'],
    ['http://a..', 'malformed'],
    [`http://a.example/${'x'.repeat(20_000)}`, 'longer than'],
  ])('%# is refused: %s', (text, reason) => {
    expect(() => parseTarget(text)).toThrow(expect.objectContaining({ kind: 'protocol', retryable: false }));
    expect(() => parseTarget(text)).toThrow(reason);
  });
});
