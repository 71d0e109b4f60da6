import { createHash } from 'node:crypto';
import type { Client, SFTPWrapper } from 'ssh2';
import { EgressError } from '../../../lib/egress';
import { bounded } from '../../bounded';
import { field, fieldOr } from '../auth';
import type { Account, ActionContext } from '../contract';
import { InvalidInputError } from '../invalid-input-error';

const TIMEOUT_MS = 60_000;
const CONNECT_MS = 20_000;
const PORT = 22;

/** A refused login, or a refused operation with its status code (draft-ietf-secsh-filexfer-02). */
export class SftpRefusedError extends Error {
  constructor(
    readonly code: 'sftp_login' | 'sftp_host_key' | 'sftp_not_found' | 'sftp_denied' | 'sftp_refused',
    message: string,
  ) {
    super(message);
  }
}

/** An operation that answers by calling back. */
type Operation<T> = (done: (fault: Error | null | undefined, value: T) => void) => void;

/** A session with a server of files, for one step. */
export interface Session {
  readonly sftp: SFTPWrapper;
  /** @throws Refused, EgressError */
  ask<T>(operation: Operation<T>): Promise<T>;
}

/** Opens a session, does the work, and leaves. @throws Refused, EgressError, InvalidInputError */
export async function withSession<T>(
  account: Account,
  ctx: ActionContext,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const login = loginOf(account);
  return bounded(ctx.signal, TIMEOUT_MS, async (signal) => {
    const { host, port } = login;
    const socket = await ctx.capabilities.net.connect({ host, port, timeoutMs: CONNECT_MS, signal });
    // Loaded at its first use: most processes need none.
    const { Client } = require('ssh2') as typeof import('ssh2');
    const client = new Client();
    // Faults after the end are ignored.
    client.on('error', () => undefined);
    try {
      await connected(client, { ...login, socket });
      const broken = new Promise<never>((_, reject) =>
        client.once('close', () => reject(new EgressError('connect', `${host} closed the connection`))),
      );
      broken.catch(() => undefined);
      const ask = <R>(operation: Operation<R>): Promise<R> =>
        Promise.race([
          new Promise<R>((resolve, reject) =>
            operation((fault, value) => (fault ? reject(refusedBy(fault)) : resolve(value))),
          ),
          broken,
        ]);
      const sftp = await ask<SFTPWrapper>((done) => client.sftp(done));
      return await work({ sftp, ask });
    } finally {
      client.end();
      socket.destroy();
    }
  });
}

interface Login {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  readonly privateKey: string;
  readonly passphrase: string;
  /** SHA-256 of the server's key, in base64 without padding. */
  readonly fingerprint: string;
}

/** @throws InvalidInputError */
function loginOf(account: Account): Login {
  const fingerprint = field(account, 'host_key')
    .replace(/^SHA256:/i, '')
    .replace(/=+$/, '');
  if (!/^[A-Za-z0-9+/]{43}$/.test(fingerprint))
    throw new InvalidInputError('"host_key" of the connection must look like SHA256:..., as ssh-keygen -lf shows it');
  const [password, privateKey] = [fieldOr(account, 'password'), fieldOr(account, 'private_key')];
  if (password === '' && privateKey === '')
    throw new InvalidInputError('the connection needs a "password" or a "private_key"');
  return {
    host: field(account, 'host'),
    port: Number(fieldOr(account, 'port', String(PORT))),
    username: field(account, 'user'),
    password,
    privateKey,
    passphrase: fieldOr(account, 'passphrase'),
    fingerprint,
  };
}

/** @throws Refused, EgressError, InvalidInputError */
function connected(
  client: Client,
  {
    socket,
    host,
    username,
    password,
    privateKey,
    passphrase,
    fingerprint,
  }: Login & { socket: import('node:net').Socket },
): Promise<void> {
  return new Promise((resolve, reject) => {
    let shown: string | null = null;
    client.once('ready', () => resolve());
    client.once('close', () => reject(new EgressError('connect', `${host} closed the connection`)));
    client.once('error', (fault: Error & { level?: string }) => {
      if (shown !== null && shown !== fingerprint) {
        const message = `the server shows the key SHA256:${shown}, and not the one of the connection`;
        reject(new SftpRefusedError('sftp_host_key', message));
      } else if (fault.level === 'client-authentication') {
        reject(new SftpRefusedError('sftp_login', 'the server refuses the login'));
      } else reject(new EgressError('connect', `the connection to ${host} failed`, { cause: fault }));
    });
    try {
      client.connect({
        sock: socket,
        username,
        ...(password === '' ? {} : { password }),
        ...(privateKey === '' ? {} : { privateKey }),
        ...(passphrase === '' ? {} : { passphrase }),
        readyTimeout: CONNECT_MS,
        hostVerifier: (key: Buffer) => {
          shown = createHash('sha256').update(key).digest('base64').replace(/=+$/, '');
          return shown === fingerprint;
        },
      });
    } catch {
      // Thrown for a malformed key, whose text the message may quote.
      reject(new InvalidInputError('"private_key" of the connection cannot be read, or "passphrase" does not fit'));
    }
  });
}

function refusedBy(fault: Error & { code?: unknown }): Error {
  if (fault instanceof EgressError) return fault;
  if (fault.code === 2) return new SftpRefusedError('sftp_not_found', 'there is no such file');
  if (fault.code === 3) return new SftpRefusedError('sftp_denied', 'the server denies it');
  return new SftpRefusedError('sftp_refused', fault.message);
}
