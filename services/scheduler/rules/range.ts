import { AppError } from '../../../lib/errors';
import { parseInstant } from '../../../lib/instant';
import type { Timeline } from './timeline';

const DAY_MS = 86_400_000;
const MAX_RANGE_DAYS = 366;

/** A range of slots in epoch milliseconds, both ends included. */
interface SlotRange {
  readonly from: number;
  readonly to: number;
}

/** The range that a caller asks for. @throws AppError invalid_request */
export function rangeOf({ from, to }: { readonly from: string; readonly to: string }, now: number): SlotRange {
  const range = { from: parseInstant('from', from), to: parseInstant('to', to) };
  if (range.to < range.from) throw new AppError('invalid_request', "'to' is before 'from'");
  if (range.to > now)
    throw new AppError('invalid_request', "'to' is in the future: a backfill starts past times alone");
  if (range.to - range.from > MAX_RANGE_DAYS * DAY_MS)
    throw new AppError('invalid_request', `The range is longer than ${MAX_RANGE_DAYS} days; split it`);
  return range;
}

/** The first slots of a range, at most `max`, that are due by `now`, and the slot that follows them in the range. Pure; yields between slots. */
export function* slotsIn(
  { next, due }: Timeline,
  { from, to }: SlotRange,
  now: number,
  max: number,
): Generator<void, { readonly slots: readonly number[]; readonly rest: number | null }> {
  const slots: number[] = [];
  for (let slot = next(from - 1); slot !== null && slot <= to && due(slot) <= now; slot = next(slot)) {
    if (slots.length === max) return { slots, rest: slot };
    slots.push(slot);
    yield;
  }
  return { slots, rest: null };
}
