import { checkedAddresses, pinnedLookup } from '../../../lib/egress/resolve';
import { parseEgressAllow } from '../../../lib/egress/rules';

const answering =
  (...addresses: string[]) =>
  async () =>
    addresses;
const check = (host: string, allow: string, ...addresses: string[]) =>
  checkedAddresses(host, 443, parseEgressAllow(allow), answering(...addresses));

describe('checking a DNS answer', () => {
  test('public addresses pass', async () => {
    expect(await check('a.example', '', '8.8.8.8', '2606:4700::1')).toEqual(['8.8.8.8', '2606:4700::1']);
  });

  test('one private address refuses the whole answer', async () => {
    await expect(check('a.example', '', '8.8.8.8', '10.0.0.1')).rejects.toMatchObject({ kind: 'blocked' });
  });

  test('the error does not contain the resolved address', async () => {
    await expect(check('a.example', '', '10.9.8.7')).rejects.toThrow(/^(?!.*10\.9\.8\.7).*a\.example/);
  });

  test('an admitted network passes, the adjacent one does not', async () => {
    expect(await check('a.example', '10.0.0.0/8', '10.0.0.1')).toEqual(['10.0.0.1']);
    await expect(check('a.example', '10.0.0.0/8', '10.0.0.1', '127.0.0.1')).rejects.toMatchObject({ kind: 'blocked' });
  });

  test('an admitted name passes with any address', async () => {
    expect(await check('db.corp', 'db.corp:443', '10.0.0.1')).toEqual(['10.0.0.1']);
    await expect(check('db.corp', 'db.corp:80', '10.0.0.1')).rejects.toMatchObject({ kind: 'blocked' });
  });

  test('a literal address is checked without a lookup', async () => {
    const never = async (): Promise<string[]> => {
      throw new Error('looked up');
    };
    await expect(checkedAddresses('127.0.0.1', 80, [], never)).rejects.toMatchObject({ kind: 'blocked' });
    expect(await checkedAddresses('8.8.8.8', 80, [], never)).toEqual(['8.8.8.8']);
  });

  test('an answer in an unknown notation is refused', async () => {
    await expect(check('a.example', '', 'fe80::1%eth0')).rejects.toMatchObject({ kind: 'blocked' });
  });

  test('no answer and a failed lookup are retryable', async () => {
    await expect(check('a.example', '')).rejects.toMatchObject({ kind: 'dns', retryable: true });
    const failing = () => Promise.reject(new Error('ENOTFOUND'));
    await expect(checkedAddresses('a.example', 80, [], failing)).rejects.toMatchObject({ kind: 'dns' });
  });
});

test('a pinned lookup gives the checked answer for any name', () => {
  const lookup = pinnedLookup(['8.8.8.8', '2606:4700::1']);
  const done = jest.fn();
  lookup('whatever', { all: true }, done);
  lookup('whatever', {}, done);
  expect(done.mock.calls).toEqual([
    [
      null,
      [
        { address: '8.8.8.8', family: 4 },
        { address: '2606:4700::1', family: 6 },
      ],
    ],
    [null, '8.8.8.8', 4],
  ]);
});
