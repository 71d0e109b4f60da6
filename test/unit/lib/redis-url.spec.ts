import { ConfigError, readConfig } from '../../../lib/config';

const faultsOf = (url: string): readonly string[] => {
  try {
    readConfig({ REDIS_URL: url });
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
};

describe('REDIS_URL', () => {
  test.each([
    'redis://localhost',
    'redis://127.0.0.1:6379',
    'rediss://cache.example.com:6380/3',
    'redis://:pass%40word@host:6379/0',
    'redis://user:word@[::1]:6379/',
  ])('%s is accepted unchanged', (url) => {
    expect(readConfig({ REDIS_URL: url }).redisUrl).toBe(url);
  });

  test.each([
    'localhost:6379',
    'http://localhost',
    'redis://',
    'redis://host:99999',
    'redis://host/cache',
    'redis://:sesame%@host',
    'redis://:sesame@host?enableOfflineQueue=true',
  ])('%s is refused, and the error does not quote it', (url) => {
    expect(faultsOf(url)).toEqual([expect.stringContaining('REDIS_URL must look like redis://')]);
    expect(faultsOf(url).join()).not.toContain('sesame');
  });

  test('is absent by default', () => {
    expect(readConfig({}).redisUrl).toBeNull();
  });
});
