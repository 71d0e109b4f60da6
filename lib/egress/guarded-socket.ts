import type { Socket } from 'node:net';
import { EgressError } from './error';

/** Maximum bytes received on a connection: a response of 10 MiB in a verbose protocol. */
export const MAX_RECEIVED_BYTES = 32 * 1024 * 1024;

/** Resets the byte count of a guarded socket. */
const RENEWALS = new WeakMap<Socket, () => void>();

/** Resets the count of received bytes when a connection is reused. */
export const resetReceivedBytes = (socket: Socket): void => RENEWALS.get(socket)?.();

/**
 * Guards a socket: it is destroyed when a listener throws or more than `maxBytes` are received. Client libraries of
 * other protocols trust their server, so an unexpected message could end the process and an endless one fill its
 * memory. Here the server may belong to an attacker.
 */
export function guardSocket<S extends Socket>(socket: S, host: string, maxBytes = MAX_RECEIVED_BYTES): S {
  const emit = socket.emit.bind(socket) as (event: string | symbol, ...args: unknown[]) => boolean;
  const renewed = RENEWALS.get(socket);
  let bytes = 0;
  RENEWALS.set(socket, () => {
    renewed?.();
    bytes = 0;
  });
  socket.emit = (event: string | symbol, ...args: unknown[]): boolean => {
    try {
      if (event !== 'data') return emit(event, ...args);
      bytes += (args[0] as Buffer).length;
      if (bytes <= maxBytes) return emit(event, ...args);
      socket.destroy(new EgressError('too_large', `${host} sent more than ${maxBytes} bytes`));
    } catch (cause) {
      // If the socket was already closing, no listener is left to handle the error.
      socket.destroy(new EgressError('protocol', `${host} sent data that breaks the protocol`, { cause }));
    }
    return true;
  };
  return socket;
}
