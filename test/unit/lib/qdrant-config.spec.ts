import { ConfigError, readConfig } from '../../../lib/config';

const read = (env: Record<string, string>) => {
  try {
    return readConfig(env).qdrant;
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
};

describe('QDRANT_URL', () => {
  const plain = { host: 'localhost', port: 6333, https: false, prefix: '', apiKey: null };

  test.each([
    ['http://localhost', plain],
    ['http://localhost:6333/', plain],
    ['http://localhost:80', { ...plain, port: 80 }],
    ['https://q.example.com', { ...plain, host: 'q.example.com', https: true }],
    [
      'https://q.example.com:443/vectors/',
      { ...plain, host: 'q.example.com', https: true, port: 443, prefix: '/vectors' },
    ],
    ['http://[::1]:7000', { ...plain, host: '[::1]', port: 7_000 }],
  ])('%s is understood', (url, config) => {
    expect(read({ QDRANT_URL: url })).toEqual(config);
  });

  test.each([
    'localhost:6333',
    'qdrant://localhost',
    'https://',
    'http://user:pass@host',
    'http://host/?a=1',
    'http://host/#x',
  ])('%s is refused, and the error does not quote it', (url) => {
    const faults = read({ QDRANT_URL: url });
    expect(faults).toEqual([expect.stringMatching(/^QDRANT_URL must look like /)]);
    expect(JSON.stringify(faults)).not.toContain('user:pass');
  });

  test('a key needs an address, and must be valid in a header', () => {
    expect(read({ QDRANT_URL: 'http://localhost', QDRANT_API_KEY: 'k-1' })).toEqual({ ...plain, apiKey: 'k-1' });
    expect(read({ QDRANT_API_KEY: 'k-1' })).toEqual([expect.stringContaining('QDRANT_URL')]);
    expect(read({ QDRANT_URL: 'http://localhost', QDRANT_API_KEY: 'a\nb' })).toEqual([
      expect.stringContaining('QDRANT_API_KEY'),
    ]);
    expect(read({})).toBeNull();
  });
});
