import { nkeys } from 'nats';

type Pair = ReturnType<typeof nkeys.createUser>;

/** What a server needs to know, and what its one user has, where users are named by JWTs. */
export interface Credentials {
  readonly serverConfig: string;
  /** Text of the user's credentials file. */
  readonly file: string;
}

/** An operator, its account and a user of it, made here as the tool `nsc` would make them. */
export function makeCredentials(): Credentials {
  const [operator, account, user] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createUser()];
  const all = { subs: -1, data: -1, payload: -1 };
  const limits = { ...all, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 };
  const operatorJwt = jwt(operator, operator, { type: 'operator', version: 2 });
  const accountJwt = jwt(operator, account, { type: 'account', version: 2, limits });
  const userJwt = jwt(account, user, { type: 'user', version: 2, pub: {}, sub: {}, ...all });
  return {
    serverConfig: `operator: ${operatorJwt}\nresolver: MEMORY\nresolver_preload: { ${account.getPublicKey()}: ${accountJwt} }`,
    file: [
      '-----BEGIN NATS USER JWT-----',
      userJwt,
      '------END NATS USER JWT------',
      '',
      '-----BEGIN USER NKEY SEED-----',
      Buffer.from(user.getSeed()).toString(),
      '------END USER NKEY SEED------',
      '',
    ].join('\n'),
  };
}

function jwt(issuer: Pair, subject: Pair, nats: object): string {
  const part = (content: object): string => Buffer.from(JSON.stringify(content)).toString('base64url');
  const claims = { jti: 'test', iat: 1, iss: issuer.getPublicKey(), name: 'test', sub: subject.getPublicKey(), nats };
  const signed = `${part({ typ: 'JWT', alg: 'ed25519-nkey' })}.${part(claims)}`;
  return `${signed}.${Buffer.from(issuer.sign(Buffer.from(signed))).toString('base64url')}`;
}
