/** The distribution of a tenant's slots among hosts: pure rules, without time and database. */
import type { SlotAllocation } from '../ports/slot-store';

/** Minimum number of spare slots, so that the next runs need no request. */
const MIN_SPARE = 4;

/** A host's request. `inUse`: slots of runs in its memory, which it always keeps. */
interface SlotRequest {
  readonly host: string;
  readonly inUse: number;
  readonly wanted: number;
  readonly limit: number;
}

/** Slots allocated to other hosts. */
const takenByOthers = (allocations: readonly SlotAllocation[], host: string): number =>
  allocations.reduce((sum, allocation) => (allocation.host === host ? sum : sum + allocation.n), 0);

/**
 * The allocations after a request. `usable`: how many runs the host may have from now on. After a limit is lowered this
 * may be less than in use: the pool still counts those, and the host begins no further ones.
 */
export function allocate(
  allocations: readonly SlotAllocation[],
  { host, inUse, wanted, limit }: SlotRequest,
): { allocations: SlotAllocation[]; usable: number } {
  const usable = Math.max(0, Math.min(wanted, limit - takenByOthers(allocations, host)));
  const own = Math.max(usable, inUse);
  const others = allocations.filter((allocation) => allocation.host !== host);
  return { allocations: own === 0 ? others : [...others, { host, n: own }], usable };
}

/**
 * The number of slots that a host requests for `more` runs: twice what it needs, so that growing load needs few
 * requests, but at most a quarter of the free slots for spare, so that other hosts find some.
 */
export function wantedFor(
  allocations: readonly SlotAllocation[],
  { host, inUse, more, limit }: Omit<SlotRequest, 'wanted'> & { more: number },
): number {
  const needed = inUse + more;
  const free = limit - takenByOthers(allocations, host) - needed;
  return needed + Math.max(0, Math.min(Math.max(needed, MIN_SPARE), Math.floor(free / 4)));
}

/**
 * How many slots a host keeps after using at most `peak` of them. Unused slots are released in steps, as load comes in
 * waves; the last ones at once, so that the pool of a quiet tenant is empty.
 */
export const toKeep = (allocation: number, peak: number): number =>
  peak === 0 && allocation <= MIN_SPARE * 2 ? 0 : Math.max(peak, Math.floor(allocation / 4));
