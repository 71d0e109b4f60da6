import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

interface Client {
  client_id: string;
  client_secret?: string;
  redirect_uris: string[];
  token_endpoint_auth_method?: string;
  grant_types?: string[];
}

/** Offline access: refresh tokens, each valid once. */
export interface Offline {
  readonly scopes: readonly string[];
  readonly accessSeconds: number;
}

/** The user at the provider. */
export type Account = { sub: string; email?: string; email_verified?: boolean; groups?: string[] };

/** A certified OpenID provider in a process of its own. */
export interface OpenidProvider {
  readonly issuer: string;
  /** Signs in this user from now on; null refuses. */
  account(account: Account | null): Promise<void>;
  /** How often a refresh token was taken so far, and how often one was refused. */
  refreshes(): Promise<{ taken: number; refused: number }>;
  close(): Promise<void>;
}

export async function startProvider(clients: readonly Client[], offline?: Offline): Promise<OpenidProvider> {
  const child = fork(join(__dirname, 'openid-provider-process.mjs'), { silent: true, execArgv: [] });
  const ended = once(child, 'exit');
  let complaints = '';
  child.stderr?.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
  const ask = async <T>(message: object): Promise<T> => {
    const gone = ended.then(() => Promise.reject(new Error(`The provider ended: ${complaints}`)));
    const answer = once(child, 'message');
    child.send(message);
    const [content] = (await Promise.race([answer, gone])) as [T];
    return content;
  };
  const { issuer } = await ask<{ issuer: string }>({ clients, offline });
  return {
    issuer,
    account: (account) => ask({ account }),
    refreshes: () => ask({ count: true }),
    async close() {
      child.disconnect();
      await ended;
    },
  };
}
