import { ConfigError, readConfig } from '../../../lib/config';

const faultsOf = (env: Record<string, string>): readonly string[] => {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
};

const CLIENT = { SIGNIN_SUITE_CLIENT_ID: 'client', SIGNIN_SUITE_CLIENT_SECRET: 'secret' };

describe('FRONTEND_URL and SIGNIN_SUITE_*', () => {
  it('are absent by default', () => {
    expect(readConfig({}).signIn).toEqual({ frontendUrl: null, suite: null });
  });

  it('is an address without a trailing slash', () => {
    expect(readConfig({ FRONTEND_URL: 'https://app.example.com/start/' }).signIn.frontendUrl).toBe(
      'https://app.example.com/start',
    );
  });

  it('uses Google without an issuer', () => {
    expect(readConfig(CLIENT).signIn.suite).toEqual({
      clientId: 'client',
      clientSecret: 'secret',
      issuer: 'https://accounts.google.com',
      authorizeUrl: null,
      tokenUrl: null,
    });
  });

  it.each([
    ['FRONTEND_URL', 'https://app.example.com/#top'],
    ['FRONTEND_URL', 'https://app.example.com/?a=b'],
    ['FRONTEND_URL', 'https://ann:pw@app.example.com'],
    ['FRONTEND_URL', 'javascript:alert(1)'],
    ['FRONTEND_URL', 'https://'],
    ['SIGNIN_SUITE_ISSUER', 'accounts.google.com'],
  ])('%s refuses %s', (name, value) => {
    expect(faultsOf({ ...CLIENT, [name]: value })).toEqual([expect.stringContaining(name)]);
  });

  it.each([
    [{ SIGNIN_SUITE_CLIENT_ID: 'client' }],
    [{ SIGNIN_SUITE_CLIENT_SECRET: 'secret' }],
    [{ SIGNIN_SUITE_ISSUER: 'https://id.example.com' }],
  ])('%o is incomplete, and the fault names the missing part', (env) => {
    const [fault, ...others] = faultsOf(env);
    expect(fault).toContain('SIGNIN_SUITE_CLIENT_ID and SIGNIN_SUITE_CLIENT_SECRET');
    expect(fault).not.toContain('secret"');
    expect(others).toEqual([]);
  });
});
