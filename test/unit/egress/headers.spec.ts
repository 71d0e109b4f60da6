import { requestHeaders, responseHeaders } from '../../../lib/egress/headers';

describe('request headers', () => {
  test('names become lower case and beat the defaults', () => {
    expect([...requestHeaders({ Accept: 'text/html' }, { accept: '*/*', 'user-agent': 'x' })]).toEqual([
      ['accept', 'text/html'],
      ['user-agent', 'x'],
    ]);
  });

  test('inherited names are ordinary names', () => {
    const given = JSON.parse('{"__proto__": "a", "constructor": "b"}') as Record<string, string>;
    expect([...requestHeaders(given, {})]).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
  });

  test.each<Record<string, string>>([
    { 'x-a': 'one\r\nx-b: two' },
    { 'x-a': 'one\nx-b: two' },
    { 'x-a': '\0' },
    { 'x-a': 'snowman ☃' },
    { 'x a': 'v' },
    { 'x:a': 'v' },
    { 'x\r\n': 'v' },
    { '': 'v' },
  ])('%j is refused', (given) =>
    expect(() => requestHeaders(given, {})).toThrow(expect.objectContaining({ kind: 'protocol' })),
  );

  test.each(['Host', 'Content-Length', 'Transfer-Encoding', 'Connection', 'Upgrade', 'TE', 'Expect'])(
    '%s belongs to the client',
    (name) => expect(() => requestHeaders({ [name]: '1' }, {})).toThrow('the client sets it'),
  );
});

test('repeated response headers are joined, cookies are a list', () => {
  expect(responseHeaders({ via: ['a', 'b'], etag: 'x', 'set-cookie': 'c=1', gone: undefined })).toEqual({
    via: 'a, b',
    etag: 'x',
    'set-cookie': ['c=1'],
  });
});
