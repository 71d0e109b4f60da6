import { parseAddress, specialRange } from '../../../lib/egress/address';

const judge = (text: string): string | null => {
  const address = parseAddress(text);
  return address ? specialRange(address) : 'unreadable';
};

describe('which addresses are public', () => {
  test.each([
    '8.8.8.8',
    '1.1.1.1',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '169.253.255.255',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2a00:1450:4001:801::200e',
  ])('%s is', (text) => expect(judge(text)).toBeNull());

  test.each([
    ['0.0.0.0', 'unspecified'],
    ['0.1.2.3', 'unspecified'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['10.0.0.1', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['169.254.169.254', 'linkLocal'],
    ['168.63.129.16', 'cloudMetadata'],
    ['100.100.100.200', 'carrierGradeNat'],
    ['192.0.0.192', 'reserved'],
    ['fd00:ec2::254', 'uniqueLocal'],
    ['100.64.0.1', 'carrierGradeNat'],
    ['100.127.255.255', 'carrierGradeNat'],
    ['192.0.0.1', 'reserved'],
    ['192.0.2.1', 'reserved'],
    ['198.18.0.1', 'reserved'],
    ['203.0.113.9', 'reserved'],
    ['240.0.0.1', 'reserved'],
    ['224.0.0.1', 'multicast'],
    ['239.255.255.255', 'multicast'],
    ['255.255.255.255', 'broadcast'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['fe80::1', 'linkLocal'],
    ['fc00::1', 'uniqueLocal'],
    ['fd12:3456::1', 'uniqueLocal'],
    ['ff02::1', 'multicast'],
    ['fec0::1', 'deprecatedSiteLocal'],
    ['::ffff:127.0.0.1', 'ipv4Mapped'],
    ['::ffff:7f00:1', 'ipv4Mapped'],
    ['::ffff:8.8.8.8', 'ipv4Mapped'],
    ['::7f00:1', 'unassigned'],
    // Deprecated IPv4-compatible notation, which ipaddr.js reads as mapped; refused either way.
    ['::127.0.0.1', 'ipv4Mapped'],
    ['64:ff9b::7f00:1', 'rfc6052'],
    ['64:ff9b:1::a00:1', 'rfc6052'],
    ['2002:7f00:1::', '6to4'],
    ['2001::1', 'teredo'],
    ['2001:db8::1', 'reserved'],
    ['100::1', 'discard'],
    ['5f00::1', 'segmentRouting'],
    ['4000::1', 'unassigned'],
  ])('%s is not (%s)', (text, range) => expect(judge(text)).toBe(range));

  test.each([
    '0177.0.0.1',
    '0x7f.0.0.1',
    '2130706433',
    '127.1',
    '127.0.0.01',
    'fe80::1%eth0',
    '::1%lo',
    '',
    'localhost',
  ])('%j is no address in standard notation', (text) => expect(parseAddress(text)).toBeNull());
});
