import { AppError } from '../../../lib/errors';

const MAX_STREAMS = 10_000;
const MAX_STREAMS_PER_NETWORK = 500;
const MAX_STREAMS_PER_TENANT = 2_000;
const RETRY_AFTER_SECONDS = 10;

/** Who opens a stream; absent: not known. */
export interface StreamClient {
  readonly network: string;
  readonly tenantId: string | null;
}

/** A bound of open streams. */
interface StreamBound {
  readonly open: number;
  readonly max: number;
  readonly of: string;
}

/** The open streams of a gateway, by client. Owns their bounds. */
export class StreamCounts {
  readonly #clients = new Map<string, number>();
  #size = 0;

  /** @throws AppError unavailable, rate_limited when as many streams are open as this node serves, or one client or tenant has */
  assertRoom(client: StreamClient, more: readonly StreamBound[] = []): void {
    const retry = { retry_after: RETRY_AFTER_SECONDS };
    if (this.#size >= MAX_STREAMS) throw new AppError('unavailable', 'Too many open streams', retry);
    const bounds = countersOf(client).map(({ name, ...bound }) => ({ ...bound, open: this.#clients.get(name) ?? 0 }));
    const spent = [...more, ...bounds].find(({ open, max }) => open >= max);
    if (spent === undefined) return;
    throw new AppError('rate_limited', `More than ${spent.max} open streams ${spent.of}; close some of them`, retry);
  }

  add(client: StreamClient, more: 1 | -1): void {
    this.#size += more;
    for (const { name } of countersOf(client)) {
      const open = (this.#clients.get(name) ?? 0) + more;
      if (open === 0) this.#clients.delete(name);
      else this.#clients.set(name, open);
    }
  }
}

const countersOf = ({ network, tenantId }: StreamClient): { name: string; max: number; of: string }[] => [
  { name: `network:${network}`, max: MAX_STREAMS_PER_NETWORK, of: 'from one address' },
  ...(tenantId === null ? [] : [{ name: `tenant:${tenantId}`, max: MAX_STREAMS_PER_TENANT, of: 'of one tenant' }]),
];
