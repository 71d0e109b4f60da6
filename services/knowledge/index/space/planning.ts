import type { Contents, SegmentEntry, Tables } from './manifest';

const KIB = 1024;
const MIB = 1024 * KIB;

/** Segments of one size that there may be before they become one. */
const OF_A_TIER = 8;
/** The smallest tier is up to this; each further one is four times as large. */
const FIRST_TIER_BYTES = 64 * KIB;
const TIER_FACTOR = 4;
/** No merge makes more than this of several: time and memory of one merge are bounded. */
export const MOST_MERGED_BYTES = 64 * MIB;
/** So many tombstones are read with every change, and compared with every segment. */
const MOST_TOMBSTONES = 256;
/** A segment with so large a dead part is written anew. */
const DEAD_SHARE = 0.25;

/** Which segments should become one now; null for none. Pure. */
export function planMerge(now: Contents, tables: Tables): readonly SegmentEntry[] | null {
  return fullTier(now.segments) ?? withMostDead(now, tables);
}

function fullTier(segments: readonly SegmentEntry[]): readonly SegmentEntry[] | null {
  const tiers = new Map<number, SegmentEntry[]>();
  for (const segment of segments) tiers.set(tierOf(segment), [...(tiers.get(tierOf(segment)) ?? []), segment]);
  for (const tier of [...tiers.keys()].sort((a, b) => a - b)) {
    const members = (tiers.get(tier) as SegmentEntry[]).sort((a, b) => a.seq - b.seq);
    if (members.length < OF_A_TIER) continue;
    const fitting = within(members, MOST_MERGED_BYTES);
    if (fitting.length > 1) return fitting;
  }
  return null;
}

/** The oldest ones that have so many bytes together. */
function within(segments: readonly SegmentEntry[], most: number): SegmentEntry[] {
  let bytes = 0;
  return segments.filter((segment) => (bytes += segment.bytes) <= most);
}

const tierOf = ({ bytes }: SegmentEntry): number =>
  bytes <= FIRST_TIER_BYTES ? 0 : Math.ceil(Math.log(bytes / FIRST_TIER_BYTES) / Math.log(TIER_FACTOR));

function withMostDead({ segments, tombstones }: Contents, tables: Tables): readonly SegmentEntry[] | null {
  if (tombstones.length === 0) return null;
  let worst: { segment: SegmentEntry; share: number } | null = null;
  for (const segment of segments) {
    const table = tables.get(segment.id);
    if (table === undefined || table.size === 0) continue;
    const share = table.dead(segment.seq, tombstones).size / table.size;
    if (worst === null || share > worst.share) worst = { segment, share };
  }
  if (worst === null || worst.share === 0) return null;
  return worst.share >= DEAD_SHARE || tombstones.length > MOST_TOMBSTONES ? [worst.segment] : null;
}
