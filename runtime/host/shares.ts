/** How hosts share the slots of a tenant: rules without time and without a database. */
import type { Share } from '../store/port';

/** Slots that a host takes beyond those it needs at once, so that the next runs need no question. */
const SPARE_AT_FIRST = 4;

/** What a host asks for: `inUse` are the slots of the runs in its memory; nothing takes them away from it. */
export interface Asking {
  readonly host: string;
  readonly inUse: number;
  readonly wanted: number;
  readonly limit: number;
}

/** The slots that others have. */
const takenByOthers = (shares: readonly Share[], host: string): number =>
  shares.reduce((sum, share) => (share.host === host ? sum : sum + share.n), 0);

/**
 * The shares after a host has asked. `usable`: how many runs it may have from now on. Fewer than it has in use, when a
 * limit was lowered: the ledger goes on counting those, and the host begins no further ones.
 */
export function afterAsking(
  shares: readonly Share[],
  { host, inUse, wanted, limit }: Asking,
): { shares: Share[]; usable: number } {
  const usable = Math.max(0, Math.min(wanted, limit - takenByOthers(shares, host)));
  const own = Math.max(usable, inUse);
  const others = shares.filter((share) => share.host !== host);
  return { shares: own === 0 ? others : [...others, { host, n: own }], usable };
}

/**
 * What a host asks for that needs slots for `more` runs: as many again as it uses, so that a growing load asks seldom,
 * but never more than a quarter of what is free, so that other hosts find something.
 */
export function wantedFor(
  shares: readonly Share[],
  { host, inUse, more, limit }: Omit<Asking, 'wanted'> & { more: number },
): number {
  const needed = inUse + more;
  const free = limit - takenByOthers(shares, host) - needed;
  return needed + Math.max(0, Math.min(Math.max(needed, SPARE_AT_FIRST), Math.floor(free / 4)));
}

/**
 * How many slots a host keeps that had `peak` in use at the most since it was last asked. What it did not use goes in
 * steps, as load comes in waves; the last ones go at once, so that a quiet tenant has a ledger without shares.
 */
export const toKeep = (share: number, peak: number): number =>
  peak === 0 && share <= SPARE_AT_FIRST * 2 ? 0 : Math.max(peak, Math.floor(share / 4));
