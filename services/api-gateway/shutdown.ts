import type { Server } from 'node:http';

/** A slow answer gets this long after the stop began; then its connection is cut. */
const DEADLINE_MS = 1_500;
const SWEEP_MS = 50;

/**
 * Lets a server close soon, although `close` waits for every connection: idle ones are closed as they become idle,
 * and all others at a deadline (browsers open sockets ahead that never carry a request).
 */
export function hastenClose(server: Server): void {
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS).unref();
  const deadline = setTimeout(() => server.closeAllConnections(), DEADLINE_MS).unref();
  server.once('close', () => {
    clearInterval(sweep);
    clearTimeout(deadline);
  });
}
