import { isIP, type Socket } from 'node:net';
import { connect, rootCertificates, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { guardSocket } from './guarded-socket';
import { EgressError, toEgressError } from './error';

/** Certificate verification: issuer and host name, issuer only, or none. */
export type Verification = 'full' | 'issuer' | 'none';

/** The server of a TLS connection, and how its certificate is verified. */
export interface Peer {
  readonly host: string;
  readonly verify: Verification;
  /** Additional certificate authorities, in PEM. */
  readonly ca?: string;
}

/** Options of `tls.connect`. */
export function tlsOptions({ host, verify, ca }: Peer): ConnectionOptions {
  return {
    host,
    // SNI allows no addresses (RFC 6066 section 3); the certificate is then compared with `host`.
    servername: isIP(host) ? undefined : host,
    rejectUnauthorized: verify !== 'none',
    ca: ca === undefined ? undefined : [...rootCertificates, ca],
    ...(verify === 'full' ? {} : { checkServerIdentity: () => undefined }),
  };
}

/**
 * Upgrades a connected socket to TLS. Throws EgressError: `protocol` for a rejected certificate, `timeout` when the
 * handshake exceeds `timeoutMs`, else `connect`.
 */
export function secure(socket: Socket, peer: Peer, timeoutMs: number): Promise<TLSSocket> {
  const { host } = peer;
  return new Promise((resolve, reject) => {
    const fail = (error: EgressError): void => {
      clearTimeout(timer);
      reject(error);
      socket.destroy();
    };
    const timer = setTimeout(
      () => fail(new EgressError('timeout', `the TLS handshake with ${host} timed out`)),
      timeoutMs,
    );
    const secured = connect({ ...tlsOptions(peer), socket });
    // Not removed, like the listener of the socket below.
    secured.on('error', (cause) => fail(toEgressError(cause, host)));
    secured.once('close', () => fail(new EgressError('connect', `${host} closed the connection`)));
    secured.once('secureConnect', () => {
      clearTimeout(timer);
      resolve(guardSocket(secured, host));
    });
  });
}
