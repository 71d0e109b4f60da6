import type { Server } from 'node:http';

/** A slow answer gets this long after its service has stopped; then its connection is cut. */
const DEADLINE_MS = 1_500;
const SWEEP_MS = 50;

/** The two steps in which a server leaves. */
export interface Shutdown {
  /** Takes no connection any more, and lets go of those that are idle, as they become so. */
  begin(): void;
  /** Resolves when no connection is left: browsers open sockets ahead that never carry a request, so at a deadline all are cut. */
  finish(): Promise<void>;
}

export function shutdownOf(server: Server): Shutdown {
  let closed: Promise<void> | null = null;
  const begin = (): Promise<void> => {
    const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS).unref();
    return new Promise((resolve) => {
      // A server that does not listen says so by a fault; it is closed either way.
      server.close(() => {
        clearInterval(sweep);
        resolve();
      });
    });
  };
  return {
    begin() {
      closed ??= begin();
    },
    async finish() {
      closed ??= begin();
      const deadline = setTimeout(() => server.closeAllConnections(), DEADLINE_MS).unref();
      await closed;
      clearTimeout(deadline);
    },
  };
}
