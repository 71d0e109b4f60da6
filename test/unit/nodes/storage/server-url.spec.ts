import { readServerUrl, tlsModeOf } from '../../../../nodes/storage/server-url';

test.each([
  ['redis://host', { scheme: 'redis', host: 'host', port: null, user: '', password: '', path: '' }],
  ['redis://host:80/1', { host: 'host', port: 80, path: '1' }],
  [
    'rediss://:p%3Aw@HOST.example:6380/1?a=b',
    { host: 'host.example', port: 6_380, user: '', password: 'p:w', path: '1' },
  ],
  [
    'postgres://ada%40x:a%2Fb@[::1]:5432/shop',
    { host: '[::1]', port: 5_432, user: 'ada@x', password: 'a/b', path: 'shop' },
  ],
  ['mysql://u:p@127.1/x', { host: '127.0.0.1', path: 'x' }],
])('%s', (url, parts) => {
  expect(readServerUrl(url)).toMatchObject(parts);
});

test('settings are kept', () => {
  expect([...(readServerUrl('mysql://u@h/x?sslmode=require&a=1')?.settings ?? [])]).toEqual([
    ['sslmode', 'require'],
    ['a', '1'],
  ]);
});

test.each(['', 'host', 'redis:host', 'redis://', 'redis://h h', 'redis://h:99999', 'redis://u:%@h'])(
  '%j is none',
  (url) => {
    expect(readServerUrl(url)).toBeNull();
  },
);

test.each([
  ['disable', 'off'],
  ['DISABLED', 'off'],
  ['require', 'none'],
  ['VERIFY_CA', 'issuer'],
  ['verify-full', 'full'],
  ['VERIFY_IDENTITY', 'full'],
  ['prefer', undefined],
  ['constructor', undefined],
])('%s is %s', (word, mode) => {
  expect(tlsModeOf(word)).toBe(mode);
});
