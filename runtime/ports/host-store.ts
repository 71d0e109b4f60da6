/** A host's own document. */
export interface HostInfo {
  readonly id: string;
  readonly nodeId: string;
  readonly version: string;
  readonly capacity: number;
}

/** Metrics of a host at each renewal. */
export interface HostFigures {
  readonly draining: boolean;
  /** Active runs in memory. */
  readonly running: number;
  /** Runs in memory that only wait. */
  readonly waiting: number;
  /** Maximum delay between due and claimed since the last renewal. */
  readonly lagMs: number;
}

/** A row of the list of hosts. A host with an expired lease is dead, whether or not another host has freed its runs. */
export interface HostRow extends HostInfo, Omit<HostFigures, 'draining'> {
  readonly startedAt: number;
  readonly leaseUntil: number;
  readonly state: 'alive' | 'draining' | 'dead' | 'left';
}

/** The result of a sweep for expired hosts. */
interface ExpiryReport {
  /** Number of freed runs. */
  readonly runs: number;
  /** Ids of live hosts, in order. */
  readonly alive: readonly string[];
  /** Time until the next lease of another host expires, in milliseconds, unless it is renewed; null without others. */
  readonly lapsesInMs: number | null;
}

/** Host liveness. Uses database time, so clock skew between hosts does not matter. */
export interface HostStore {
  register(host: HostInfo, leaseMs: number): Promise<void>;
  /** False when the host has been declared dead. */
  renew(host: string, leaseMs: number, figures: HostFigures): Promise<boolean>;
  /**
   * Declares hosts with expired leases dead (with `all`, every other one), releases their runs as ready work, and
   * removes their slot allocations.
   */
  expireHosts(by: string, now: number, all: boolean): Promise<ExpiryReport>;
  /** An orderly stop: the host's remaining runs become ready work, and its slot allocations are removed. */
  leave(host: string, now: number): Promise<void>;
  /** All known hosts, newest first. */
  rows(): Promise<HostRow[]>;
}
