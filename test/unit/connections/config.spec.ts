import { readConfig } from '../../../lib/config';

const read = (env: Record<string, string>) => readConfig(env).oauth;
const CLIENT = { OAUTH_SUITE_CLIENT_ID: 'id', OAUTH_SUITE_CLIENT_SECRET: 'secret' };

test('without configuration there are no clients, and the missing variables are listed', () => {
  for (const [word, { client, missing }] of Object.entries(read({}))) {
    const name = `OAUTH_${word.toUpperCase()}`;
    expect([client, missing]).toEqual([null, [`${name}_CLIENT_ID`, `${name}_CLIENT_SECRET`]]);
  }
  expect(read({ OAUTH_CHAT_CLIENT_ID: 'x' }).chat.missing).toEqual(['OAUTH_CHAT_CLIENT_SECRET']);
});

test('the presets are Google, Notion and Slack', () => {
  const { suite, notes, chat } = read(CLIENT);
  expect(suite).toMatchObject({
    client: { id: 'id', secret: 'secret' },
    issuer: 'https://accounts.google.com',
    discovers: false,
  });
  expect([suite, notes, chat].map(({ tokenUrl }) => tokenUrl)).toEqual([
    'https://oauth2.googleapis.com/token',
    'https://api.notion.com/v1/oauth/token',
    'https://slack.com/api/oauth.v2.access',
  ]);
  expect(notes.revokeUrl).toBeNull();
});

test('an issuer provides its endpoints, and explicit ones override them', () => {
  const issuer = { ...CLIENT, OAUTH_SUITE_ISSUER: 'https://id.example' };
  expect(read(issuer).suite).toMatchObject({ authorizeUrl: null, tokenUrl: null, revokeUrl: null, discovers: true });
  const whole = {
    ...issuer,
    OAUTH_SUITE_AUTHORIZE_URL: 'https://id.example/a',
    OAUTH_SUITE_TOKEN_URL: 'https://id.example/t',
  };
  expect(read(whole).suite).toMatchObject({ authorizeUrl: 'https://id.example/a', discovers: false });
});

test('with endpoints of another provider, tokens are not revoked at the preset, and its issuer is not used', () => {
  expect(read({ ...CLIENT, OAUTH_SUITE_TOKEN_URL: 'https://id.example/t' }).suite).toMatchObject({
    tokenUrl: 'https://id.example/t',
    revokeUrl: null,
    issuer: null,
  });
});

test('requests can reach the configured addresses only', () => {
  expect(read(CLIENT).suite.rules).toEqual([]);
  expect(read({ OAUTH_SUITE_TOKEN_URL: 'http://10.0.0.1:81/t' }).suite.rules).toEqual([
    { kind: 'host', host: '10.0.0.1', port: 81 },
  ]);
});

test.each(['id.example', 'ftp://id.example', 'https://user:secret@id.example', 'https://id.example/?a=b'])(
  'the address %s is refused at the start, by its name and without what it holds',
  (url) => {
    expect(() => read({ OAUTH_NOTES_TOKEN_URL: url })).toThrow('OAUTH_NOTES_TOKEN_URL must be a URL');
    expect(() => read({ OAUTH_NOTES_TOKEN_URL: url })).not.toThrow('secret');
  },
);
