import type { Socket } from 'node:net';
import { EgressError } from './error';

/** The most that one connection may bring in: an answer of 10 MiB, in a wordy protocol. */
export const MAX_INTAKE_BYTES = 32 * 1024 * 1024;

/**
 * The same socket, which ends itself when a listener throws or more than `maxBytes` have come in. Clients of other
 * protocols trust their server: one that says what they do not expect would end the process, and one that does not stop
 * fill its memory. Here the server may be anybody's.
 */
export function contain<S extends Socket>(socket: S, host: string, maxBytes = MAX_INTAKE_BYTES): S {
  const emit = socket.emit.bind(socket) as (event: string | symbol, ...args: unknown[]) => boolean;
  let bytes = 0;
  socket.emit = (event: string | symbol, ...args: unknown[]): boolean => {
    try {
      if (event === 'data') bytes += (args[0] as Buffer).length;
      if (bytes <= maxBytes || event !== 'data') return emit(event, ...args);
      socket.destroy(new EgressError('too_large', `${host} answers with more than ${maxBytes} bytes`));
    } catch (cause) {
      // Thrown while it told of its end, it has nobody left to tell.
      socket.destroy(new EgressError('protocol', `${host} said something that cannot be understood`, { cause }));
    }
    return true;
  };
  return socket;
}
