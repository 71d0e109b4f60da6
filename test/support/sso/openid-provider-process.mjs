// A certified OpenID provider in a process of its own, controlled by messages, each of which is answered: first {clients: [...],
// offline}; later {account: {sub, ...claims}} or {account: null} says who sits at it, and {count: true} asks how often a
// refresh token was taken, and refused. With `offline`, refresh tokens are given for whole seconds of `accessSeconds`, each
// good once.
import { createServer } from 'node:http';
import Provider from 'oidc-provider';

let account = null;
const refreshes = { taken: 0, refused: 0 };
const answer = (message) => process.send(message);

async function start({ clients, offline }) {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new Provider(issuer, {
    clients,
    claims: { openid: ['sub', 'groups'], email: ['email', 'email_verified'] },
    // As many do: claims of scopes come by the userinfo endpoint only.
    conformIdTokenClaims: clients.some(({ client_id }) => client_id === 'thin'),
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false }, revocation: { enabled: true } },
    ...(offline === undefined
      ? {}
      : { rotateRefreshToken: true, scopes: offline.scopes, ttl: { AccessToken: offline.accessSeconds } }),
    cookies: { keys: ['a key of the test'] },
    findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ ...account, sub: id }) }),
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
  });
  const counting = (what) => (ctx) => {
    if (ctx.oidc?.params?.grant_type === 'refresh_token') refreshes[what] += 1;
  };
  provider.on('grant.success', counting('taken'));
  provider.on('grant.error', counting('refused'));
  const handle = provider.callback();
  const interact = async (request, response) => {
    const { params, session } = await provider.interactionDetails(request, response);
    if (account === null) {
      const refusal = { error: 'access_denied', error_description: '<script>alert(1)</script>' };
      return provider.interactionFinished(request, response, refusal, { mergeWithLastSubmission: false });
    }
    const grant = new provider.Grant({ accountId: session?.accountId ?? account.sub, clientId: params.client_id });
    grant.addOIDCScope(params.scope);
    const result = { login: { accountId: account.sub }, consent: { grantId: await grant.save() } };
    return provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  };
  server.on('request', (request, response) => {
    void (request.url.startsWith('/interaction/') ? interact : handle)(request, response);
  });
  answer({ issuer });
}

process.on('message', (message) => {
  if (message.clients !== undefined) {
    void start(message);
    return;
  }
  if (message.count === true) {
    answer(refreshes);
    return;
  }
  account = message.account;
  answer({});
});
process.on('disconnect', () => process.exit(0));
