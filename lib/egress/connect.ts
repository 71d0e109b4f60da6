import { connect, type Socket } from 'node:net';
import { guardSocket } from './guarded-socket';
import { codeOf, EgressError } from './error';
import { dialledHost } from './host';
import { checkedAddresses, pinnedLookup, type Resolver, systemResolver } from './resolve';
import type { EgressRule } from './rules';

interface DialTarget {
  readonly host: string;
  readonly port: number;
}

/** Sockets for protocols other than HTTP. Rejects only with EgressError. */
export interface Dialer {
  /** A connected socket, without TLS. The signal also ends it later; `guardSocket` lists what else ends it. */
  connect(to: DialTarget & { readonly timeoutMs: number; readonly signal: AbortSignal }): Promise<Socket>;
}

/** Connects only to public addresses and those that `allow` admits, and to exactly the address that was checked. */
export function createDialer(options: { allow: readonly EgressRule[]; resolver?: Resolver }): Dialer {
  const { allow, resolver = systemResolver } = options;
  const check = (to: DialTarget): Promise<string[]> => checkedAddresses(hostOf(to), portOf(to), allow, resolver);
  return {
    async connect(to) {
      const { signal, timeoutMs } = to;
      const host = hostOf(to);
      if (signal.aborted) throw aborted();
      const stop = new AbortController();
      const onAbort = (): void => stop.abort(aborted());
      const late = (): void => stop.abort(new EgressError('timeout', `${host} did not accept a connection in time`));
      const timer = setTimeout(late, timeoutMs);
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        const socket = await Promise.race([check(to).then((found) => dial(found, to, stop.signal)), rejection(stop)]);
        tie(socket, signal);
        return guardSocket(socket, host);
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
      }
    },
  };
}

function dial(addresses: readonly string[], to: DialTarget, stop: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    if (stop.aborted) return reject(stop.reason as EgressError);
    const host = hostOf(to);
    const socket = connect({ host, port: to.port, lookup: pinnedLookup(addresses), autoSelectFamily: true });
    const giveUp = (): void => void socket.destroy();
    stop.addEventListener('abort', giveUp, { once: true });
    socket.once('connect', () => {
      stop.removeEventListener('abort', giveUp);
      socket.setNoDelay(true);
      resolve(socket);
    });
    // Not removed: an error between two owners of the socket must not end the process. Each owner sees `close`.
    socket.on('error', (cause) =>
      reject(new EgressError('connect', `the connection to ${host}:${to.port} failed: ${codeOf(cause)}`, { cause })),
    );
  });
}

/** An aborted step leaves no open connection. */
function tie(socket: Socket, signal: AbortSignal): void {
  const end = (): void => void socket.destroy(aborted());
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  socket.once('close', () => signal.removeEventListener('abort', end));
}

const aborted = (): EgressError => new EgressError('aborted', 'the connection was aborted');

const rejection = ({ signal }: AbortController): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }));

function hostOf({ host }: DialTarget): string {
  const known = dialledHost(host);
  if (known === null)
    throw new EgressError('protocol', 'the host is neither a name nor an address in standard notation');
  return known;
}

function portOf({ port }: DialTarget): number {
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
  throw new EgressError('protocol', 'the port must be 1 to 65535');
}
