import { once } from 'node:events';
import type { Socket } from 'node:net';
import { EgressError, secure } from '../../../lib/egress';
import { peerOf } from '../server-url';
import type { SqlTarget, QueryContext } from './contract';

/** What stops a statement of a connection from outside. */
export interface CancelKey {
  readonly processId: number;
  readonly secret: number;
}

/** SSLRequest of PostgreSQL's protocol: a length of 8, and a number that is no version. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** A number that is no version, likewise. */
const CANCEL_REQUEST = 80_877_102;

/** A connection to a PostgreSQL server, with TLS as the target requires. @throws EgressError */
export async function openPostgres(
  target: SqlTarget,
  { net, timeoutMs, signal }: Omit<QueryContext, 'progress'>,
): Promise<Socket> {
  const { host, port } = target;
  const socket = await net.connect({ host, port, timeoutMs, signal });
  const peer = peerOf(target);
  if (peer === null) return socket;
  socket.write(SSL_REQUEST);
  const answer = await nextBytes(socket, host);
  if (answer.equals(Buffer.from('S'))) return secure(socket, peer, timeoutMs);
  socket.destroy();
  // More than one byte: a man in the middle has injected data (CVE-2021-23222).
  throw new EgressError(
    'protocol',
    answer.equals(Buffer.from('N'))
      ? `${host} offers no TLS; say sslmode=disable where the network can be trusted`
      : `${host} did not answer as PostgreSQL does`,
  );
}

/** CancelRequest: stops the statement of the connection with this key. There is no response. @throws EgressError */
export async function cancelPostgres(
  target: SqlTarget,
  { processId, secret }: CancelKey,
  surroundings: Omit<QueryContext, 'progress'>,
): Promise<void> {
  const socket = await openPostgres(target, surroundings);
  const request = Buffer.alloc(16);
  [request.length, CANCEL_REQUEST, processId, secret].forEach((value, index) => request.writeInt32BE(value, index * 4));
  socket.end(request);
  await once(socket.resume(), 'close');
}

function nextBytes(socket: Socket, host: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const gone = (): void => reject(new EgressError('connect', `${host} closed the connection`));
    socket.once('close', gone);
    socket.once('data', (bytes: Buffer) => {
      socket.pause();
      socket.off('close', gone);
      resolve(bytes);
    });
  });
}
