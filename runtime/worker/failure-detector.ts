/**
 * Detects dead hosts. Owns: when this host sweeps for them, and its rank among the live ones. Does not own: which hosts
 * are dead; the database decides that.
 */
import type { Clock } from '../../lib/clock';
import type { Meters } from '../execution/meters';
import type { HostStore } from '../ports/host-store';
import type { HostRank } from './pick';

/** Delay after the expiry of a lease. */
const AFTER_LAPSE_MS = 10;

interface FailureDetectorDeps {
  readonly hosts: Pick<HostStore, 'expireHosts'>;
  readonly clock: Clock;
  readonly hostId: () => string;
  /** The sweep is repeated at this interval anyway: only a lease that expires earlier needs a timer. */
  readonly intervalMs: number;
  readonly meters: Pick<Meters, 'takenOver'>;
  /** Runs were freed. */
  readonly onFreed: () => void;
  readonly onFault: (fault: unknown) => void;
}

export class FailureDetector {
  #rank: HostRank = { position: 0, count: 1 };
  #cancel: () => void = () => {};
  #stopped = false;

  constructor(private readonly deps: FailureDetectorDeps) {}

  /** The rank of this host among the live ones. */
  get rank(): HostRank {
    return this.#rank;
  }

  /** Frees the runs of dead hosts, and sweeps again when the next lease expires. */
  async expireHosts(all = false): Promise<void> {
    const { hosts, clock, hostId, intervalMs, meters, onFreed, onFault } = this.deps;
    const { runs, alive, lapsesInMs } = await hosts.expireHosts(hostId(), clock.now(), all);
    const position = alive.indexOf(hostId());
    this.#rank = position < 0 ? { position: 0, count: 1 } : { position, count: alive.length };
    if (runs > 0) {
      meters.takenOver(runs);
      onFreed();
    }
    this.#cancel();
    if (lapsesInMs === null || lapsesInMs > intervalMs || this.#stopped) return;
    this.#cancel = clock.after(lapsesInMs + AFTER_LAPSE_MS, () => void this.expireHosts().catch(onFault));
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }
}
