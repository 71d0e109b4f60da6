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

const FROM = 'Everstep <no-reply@example.com>';

describe('SMTP_URL', () => {
  test.each([
    ['smtps://mail.example.com', { port: 465, security: 'tls', login: null }],
    ['smtp://mail.example.com', { port: 587, security: 'starttls', login: null }],
    ['smtp://mail.example.com?security=none', { port: 25, security: 'none', login: null }],
    ['smtp://mail.example.com:2525?security=starttls', { port: 2525, security: 'starttls', login: null }],
    [
      'smtps://ada%40example.com:p%3Aw@mail.example.com:1465',
      { port: 1465, security: 'tls', login: { user: 'ada@example.com', password: 'p:w' } },
    ],
  ])('%s names a server', (url, server) => {
    const { mail } = readConfig({ SMTP_URL: url, SMTP_FROM: FROM });
    expect(mail).toEqual({
      server: { host: 'mail.example.com', ...server },
      from: { name: 'Everstep', address: 'no-reply@example.com' },
    });
  });

  test('an IPv6 address has no brackets', () => {
    expect(readConfig({ SMTP_URL: 'smtp://[::1]:25', SMTP_FROM: FROM }).mail?.server).toMatchObject({
      host: '::1',
      port: 25,
    });
  });

  test.each([
    'mail.example.com',
    'http://mail.example.com',
    'smtp://',
    'smtp://sesame@mail.example.com',
    'smtp://:sesame@mail.example.com',
    'smtp://ada:sesame%@mail.example.com',
    'smtp://ada:sesame@mail.example.com/inbox',
    'smtp://ada:sesame@mail.example.com?tls=off',
    'smtps://ada:sesame@mail.example.com?security=none',
    'smtp://ada:sesame@127.1',
  ])('%s is refused, and the error does not quote it', (url) => {
    const faults = faultsOf({ SMTP_URL: url, SMTP_FROM: FROM });
    expect(faults).toEqual([expect.stringContaining('SMTP_URL must look like smtps://')]);
    expect(faults.join()).not.toContain('sesame');
  });

  test('is absent by default', () => {
    expect(readConfig({}).mail).toBeNull();
  });
});

test.each([
  [{ SMTP_URL: 'smtps://mail.example.com' }, 'SMTP_URL needs SMTP_FROM'],
  [{ SMTP_FROM: FROM }, 'SMTP_FROM is set without SMTP_URL'],
  [
    { SMTP_URL: 'smtps://mail.example.com', SMTP_FROM: 'a@b.example, c@d.example' },
    'SMTP_FROM="a@b.example, c@d.example"',
  ],
])('%j is refused', (env, fault) => {
  expect(faultsOf(env)).toEqual([expect.stringContaining(fault)]);
});
