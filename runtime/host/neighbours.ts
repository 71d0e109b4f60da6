/**
 * The other hosts. Owns: when this host looks for those that died, and which of the living it is. Does not own: who is
 * dead; that is for the database to say.
 */
import type { Clock } from '../../lib/clock';
import type { Meters } from '../actor/meters';
import type { HostStore } from '../store/port';
import type { Peer } from './pick';

/** So much later than a lease lapses its host is looked for. */
const AFTER_LAPSE_MS = 10;

export interface NeighboursDeps {
  readonly hosts: Pick<HostStore, 'bury'>;
  readonly clock: Clock;
  readonly hostId: () => string;
  /** Looks are repeated by others after so long: only a lease that lapses before is waited for. */
  readonly rhythmMs: number;
  readonly meters: Pick<Meters, 'takenOver'>;
  /** Runs were freed. */
  readonly onFreed: () => void;
  readonly onFault: (fault: unknown) => void;
}

export class Neighbours {
  #peer: Peer = { position: 0, count: 1 };
  #cancel: () => void = () => {};
  #stopped = false;

  constructor(private readonly deps: NeighboursDeps) {}

  /** Which of the hosts that live this one is. */
  get peer(): Peer {
    return this.#peer;
  }

  /** Frees the runs of those that died, and looks again when the next lease lapses, unless it is renewed. */
  async look(all = false): Promise<void> {
    const { hosts, clock, hostId, rhythmMs, meters, onFreed, onFault } = this.deps;
    const { runs, alive, lapsesInMs } = await hosts.bury(hostId(), clock.now(), all);
    const position = alive.indexOf(hostId());
    this.#peer = position < 0 ? { position: 0, count: 1 } : { position, count: alive.length };
    if (runs > 0) {
      meters.takenOver(runs);
      onFreed();
    }
    this.#cancel();
    if (lapsesInMs === null || lapsesInMs > rhythmMs || this.#stopped) return;
    this.#cancel = clock.after(lapsesInMs + AFTER_LAPSE_MS, () => void this.look().catch(onFault));
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }
}
