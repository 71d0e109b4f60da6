import { parseOperatorApps } from '../../../../services/connections/oauth-apps/operator-apps';

const app = { id: 'hub', preset: 'github', client_id: 'c', client_secret: 's' };

test('apps of the operator have the title of their preset, and may be at another server', () => {
  const [found] = parseOperatorApps([{ ...app, token_url: 'http://10.0.0.1/token' }], 'the file');
  expect(found).toMatchObject({
    secret: 's',
    app: {
      id: 'hub',
      name: 'GitHub',
      source: 'operator',
      settings: { tokenUrl: 'http://10.0.0.1/token', revokeUrl: null, account: null },
    },
  });
});

test.each<[string, unknown, string]>([
  ['no list', {}, 'must hold a list'],
  ['no object', [7], 'app 1: must be an object'],
  ['no id', [{ ...app, id: 'Hub!' }], 'app 1: "id" must be'],
  ['an id twice', [app, app], 'app 2: the id hub occurs twice'],
  ['no client', [{ ...app, client_id: undefined }], '"client_id" is required'],
  ['a client that is no text', [{ ...app, client_id: 7 }], '"client_id" must be a text'],
  ['an unknown preset', [{ ...app, preset: 'nothing' }], 'is unknown'],
  ['an endpoint that is none', [{ ...app, token_url: 'x' }], '"token_url" must be a URL'],
])('%s is refused, without a secret in the message', (_what, content, message) => {
  expect(() => parseOperatorApps(content, 'the file')).toThrow(
    expect.objectContaining({ message: expect.stringContaining(message) }),
  );
});
