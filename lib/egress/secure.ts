import { isIP, type Socket } from 'node:net';
import { connect, rootCertificates, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { contain } from './contain';
import { EgressError, toEgressError } from './error';

/** How far a server's certificate is looked at: who issued it and whose it is, the issuer alone, or not at all. */
export type Verification = 'full' | 'issuer' | 'none';

/** Whom a TLS connection is with, and how sure of it one wants to be. */
export interface Peer {
  readonly host: string;
  readonly verify: Verification;
  /** Certificate authorities to trust besides the well-known ones, in PEM. */
  readonly ca?: string;
}

/** Options of `tls.connect` for a peer. */
export function tlsOptions({ host, verify, ca }: Peer): ConnectionOptions {
  return {
    host,
    // An address is no server name (RFC 6066 section 3); the certificate is then compared with `host`.
    servername: isIP(host) ? undefined : host,
    rejectUnauthorized: verify !== 'none',
    ca: ca === undefined ? undefined : [...rootCertificates, ca],
    ...(verify === 'full' ? {} : { checkServerIdentity: () => undefined }),
  };
}

/**
 * TLS over a connected socket, which ends with it. Throws EgressError: `protocol` for a certificate that is refused,
 * `timeout` when the handshake takes longer than `timeoutMs`, else `connect`.
 */
export function secure(socket: Socket, peer: Peer, timeoutMs: number): Promise<TLSSocket> {
  const { host } = peer;
  return new Promise((resolve, reject) => {
    const fail = (error: EgressError): void => {
      clearTimeout(timer);
      reject(error);
      socket.destroy();
    };
    const timer = setTimeout(() => fail(new EgressError('timeout', `${host} did not agree on TLS in time`)), timeoutMs);
    const secured = connect({ ...tlsOptions(peer), socket });
    // It stays, as that of the socket below.
    secured.on('error', (cause) => fail(toEgressError(cause, host)));
    secured.once('close', () => fail(new EgressError('connect', `${host} closed the connection`)));
    secured.once('secureConnect', () => {
      clearTimeout(timer);
      resolve(contain(secured, host));
    });
  });
}
