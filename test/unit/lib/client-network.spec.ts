import { networkOf } from '../../../lib/client-network';

test.each([
  ['203.0.113.7', '203.0.113.7', null],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['::1', '0:0:0:0::/64', '0:0:0::/48'],
  ['', '', null],
  ['fe80::1%eth0', 'fe80::1%eth0', null],
])('%s counts as %s', (address, network, site) => {
  expect(networkOf(address)).toEqual({ network, site });
});
