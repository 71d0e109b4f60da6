/** Runs that stand for several starts, by `debounce` or `batch`: pure rules. */
import { isObject, type JsonObject } from '../../../lib/json';
import type { Concurrency, Execution } from '../model';
import type { Throttle } from './throttle';

/** Ids of starts that a debounced run remembers. */
const MAX_DEBOUNCED_STARTS = 100;
/** Characters of the triggers of a batch, so that one document holds them. */
export const MAX_BATCH_CHARS = 4 * 1024 * 1024;

/** How a start is gathered with others of its key. */
export interface GatheringRule {
  readonly kind: 'debounce' | 'batch';
  /** A hash of tenant, workflow, kind and key. */
  readonly slot: string;
  /** The value of the key, as shown to users; empty without one. */
  readonly key: string;
  readonly periodMs: number;
  /** The longest time from the first start until the run begins; of a batch, its period. */
  readonly maxWaitMs: number;
  /** Starts of a batch; null: any number. */
  readonly maxSize: number | null;
}

/** What applies to the run when it begins. Until then it must not count among those that wait for a limit. */
interface HeldMembers {
  readonly concurrency: Concurrency | null;
  readonly throttle: Throttle | null;
  readonly timeoutMs: number | null;
}

/** The starts that a run stands for. */
export interface Gathering extends Pick<GatheringRule, 'kind' | 'slot' | 'key' | 'maxSize'> {
  /** `open`: takes more starts. `sealed`: takes none, and has not begun. Each state follows the one before. */
  readonly state: 'open' | 'sealed' | 'begun';
  readonly firstAt: number;
  readonly beginsAt: number;
  /** Number of starts; rises with each. */
  readonly count: number;
  /** Ids of the starts: of a batch all, of a debounce the last ones. */
  readonly starts: readonly string[];
  /** Characters of the triggers of a batch. */
  readonly chars: number;
  readonly held: HeldMembers;
}

/** A start that is to be gathered. */
export interface GatheredStart {
  readonly id: string;
  readonly at: number;
  readonly chars: number;
  readonly held: HeldMembers;
}

/** The gathering of a new run. */
export function gatheringOf({ kind, slot, key, periodMs, maxSize }: GatheringRule, start: GatheredStart): Gathering {
  const isFull = maxSize !== null && maxSize <= 1;
  return {
    kind,
    slot,
    key,
    maxSize,
    state: 'open',
    firstAt: start.at,
    beginsAt: isFull ? start.at : start.at + periodMs,
    count: 1,
    starts: [start.id],
    chars: start.chars,
    held: start.held,
  };
}

/** True when the time has come to begin, so that no more starts are taken. */
export const isOver = ({ beginsAt }: Pick<Gathering, 'beginsAt'>, now: number): boolean => now >= beginsAt;

/** True when the run can take one more start. */
export const hasRoomFor = ({ kind, count, maxSize, chars }: Gathering, start: GatheredStart): boolean =>
  kind === 'debounce' || (count < (maxSize ?? Number.POSITIVE_INFINITY) && chars + start.chars <= MAX_BATCH_CHARS);

/** The gathering with one more start. A batch that is full begins at once. */
export function withGathered(gathering: Gathering, rule: GatheringRule, start: GatheredStart): Gathering {
  const { firstAt, beginsAt, count, starts, chars } = gathering;
  const more = { ...gathering, count: count + 1 };
  if (gathering.kind === 'batch') {
    const isFull = gathering.maxSize !== null && count + 1 >= gathering.maxSize;
    return {
      ...more,
      starts: [...starts, start.id],
      chars: chars + start.chars,
      beginsAt: isFull ? Math.min(beginsAt, start.at) : beginsAt,
    };
  }
  const latest = firstAt + rule.maxWaitMs;
  return {
    ...more,
    starts: [...starts, start.id].slice(-MAX_DEBOUNCED_STARTS),
    beginsAt: Math.max(beginsAt, Math.min(start.at + rule.periodMs, latest)),
    held: start.held,
  };
}

/** The members of a run that begins. Its timeout counts from here. */
export function beginning(
  { startedAt, rank }: Pick<Execution, 'startedAt' | 'rank'>,
  gathering: Gathering,
  now: number,
): Pick<Execution, 'concurrency' | 'deadlineAt' | 'throttle' | 'rank' | 'gathering'> {
  const { concurrency, throttle, timeoutMs } = gathering.held;
  return {
    concurrency,
    ...(throttle === null ? {} : { throttle }),
    // It waits for its limits from now on, not since its first start.
    rank: now - (startedAt - (rank ?? startedAt)),
    deadlineAt: timeoutMs === null ? null : now + timeoutMs,
    gathering: { ...gathering, state: 'begun' },
  };
}

/** The trigger of a batch. */
export const batchTrigger = (events: readonly JsonObject[]): JsonObject => ({ events: [...events] });

/** The triggers in the trigger of a batch. */
export const eventsOf = ({ events }: JsonObject): JsonObject[] =>
  Array.isArray(events) ? events.filter((event): event is JsonObject => isObject(event)) : [];

/** What a run waits for that gathers starts. */
export const waitOfGathering = ({ kind, key, firstAt, beginsAt }: Gathering) =>
  ({ step_id: null, kind, name: key === '' ? null : key, since: firstAt, until: beginsAt }) as const;
