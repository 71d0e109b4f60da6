import { parseAddress } from '../../../lib/egress/address';
import { admitsAddress, admitsHost, parseEgressAllow } from '../../../lib/egress/rules';

describe('reading egress rules', () => {
  test.each([
    ['', []],
    [' , ,', []],
    ['localhost', [{ kind: 'host', host: 'localhost', port: null }]],
    ['API.Corp.:8443', [{ kind: 'host', host: 'api.corp', port: 8443 }]],
    ['bücher.example', [{ kind: 'host', host: 'xn--bcher-kva.example', port: null }]],
    ['my_service-1.ns:80', [{ kind: 'host', host: 'my_service-1.ns', port: 80 }]],
    ['10.1.2.3', [{ kind: 'network', network: '10.1.2.3', prefix: 32, port: null }]],
    ['10.1.2.3:8080', [{ kind: 'network', network: '10.1.2.3', prefix: 32, port: 8080 }]],
    ['10.0.0.0/8', [{ kind: 'network', network: '10.0.0.0', prefix: 8, port: null }]],
    ['10.0.0.0/8:443', [{ kind: 'network', network: '10.0.0.0', prefix: 8, port: 443 }]],
    ['0.0.0.0/0', [{ kind: 'network', network: '0.0.0.0', prefix: 0, port: null }]],
    ['::1', [{ kind: 'network', network: '::1', prefix: 128, port: null }]],
    ['[::1]', [{ kind: 'network', network: '::1', prefix: 128, port: null }]],
    ['[::1]:3000', [{ kind: 'network', network: '::1', prefix: 128, port: 3000 }]],
    ['fd00::/8', [{ kind: 'network', network: 'fd00::', prefix: 8, port: null }]],
    ['[fd00::/8]:443', [{ kind: 'network', network: 'fd00::', prefix: 8, port: 443 }]],
  ])('%j', (text, rules) => expect(parseEgressAllow(text)).toEqual(rules));

  test('several items make several rules', () => {
    expect(parseEgressAllow('a.b, 10.0.0.0/8 ,::1')).toHaveLength(3);
  });

  test.each([
    ['http://localhost', 'URLs and wildcards are not supported'],
    ['*.example.com', 'URLs and wildcards are not supported'],
    ['user@host', 'URLs and wildcards are not supported'],
    ['a b', 'write a host'],
    ['localhost:0', '1 to 65535'],
    ['localhost:65536', '1 to 65535'],
    ['localhost:', '1 to 65535'],
    ['localhost:http', '1 to 65535'],
    ['10.0.0.1/8', 'write 10.0.0.0/8'],
    ['10.0.0.0/33', '0 to 32'],
    ['10.0.0.0/', '0 to 32'],
    ['fd00::/129', '0 to 128'],
    ['fd00::1/8', 'write fd00::/8'],
    ['10.0.0.0/8/8', 'part before /'],
    ['host/8', 'part before /'],
    ['127.1', 'neither'],
    ['0x7f.0.0.1', 'neither'],
    ['0177.0.0.1', 'neither'],
    ['2130706433', 'neither'],
    ['fe80::1%eth0', 'neither'],
    ['[::1', 'brackets'],
    ['-bad.example', 'neither'],
    ['a..b', 'neither'],
  ])('%j is refused and the error says how to write it', (text, hint) => {
    expect(() => parseEgressAllow(text)).toThrow(hint);
    expect(() => parseEgressAllow(text)).toThrow(JSON.stringify(text).slice(0, 8));
  });

  test('one error names every invalid item', () => {
    expect(() => parseEgressAllow('127.1,ok.example,x:0')).toThrow(/"127\.1".*"x:0"/);
  });
});

describe('a rule', () => {
  const rules = parseEgressAllow('db.corp:5432, 10.0.0.0/8:443, ::1, 127.0.0.1');
  const admits = (text: string, port: number): boolean => {
    const address = parseAddress(text);
    return address !== null && admitsAddress(rules, address, port);
  };

  test('for a host matches its own name and port only', () => {
    expect(admitsHost(rules, 'db.corp', 5432)).toBe(true);
    expect(admitsHost(rules, 'db.corp', 80)).toBe(false);
    expect(admitsHost(rules, 'x.db.corp', 5432)).toBe(false);
  });

  test('for a network matches its own family, range and port', () => {
    expect(admits('10.200.0.1', 443)).toBe(true);
    expect(admits('10.200.0.1', 80)).toBe(false);
    expect(admits('11.0.0.1', 443)).toBe(false);
    expect(admits('::1', 9)).toBe(true);
    expect(admits('127.0.0.1', 9)).toBe(true);
    expect(admits('127.0.0.2', 9)).toBe(false);
  });

  test('an IPv4 rule does not open its mapped IPv6 twin', () => expect(admits('::ffff:127.0.0.1', 9)).toBe(false));
});
