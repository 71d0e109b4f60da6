import type { ScheduleRow, SlotView } from '../../../clients/typescript/src/api.ts';
import type { Tone } from './status';

const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** The times of a schedule in words: `cron 0 9 * * *`, `every 5m`. */
export const timesOf = ({ cron, every }: Pick<ScheduleRow, 'cron' | 'every'>): string =>
  cron ?? (every === undefined ? '' : `every ${every}`);

/** A schedule in a strip of a day. Places are shares of the day, from 0 to 1. */
interface DayLane {
  /** Each known start. */
  readonly ticks: readonly number[];
  /** Where the known starts end, while further ones follow within the day; null when all are known. */
  readonly moreFrom: number | null;
}

/** The starts of a day from `now` on. `asked`: how many next starts the server was asked for. */
export function dayLane(nextRuns: readonly string[], now: number, asked: number): DayLane {
  const places = nextRuns.map((at) => (Date.parse(at) - now) / DAY_MS);
  const ticks = places.filter((place) => place >= 0 && place < 1);
  const last = ticks.at(-1);
  return {
    ticks,
    moreFrom: places.length >= asked && ticks.length === places.length && last !== undefined ? last : null,
  };
}

/** Full hours of the day after `now`, every `step` hours, as shares of it. */
export function hourMarks(now: number, step: number): readonly { readonly at: number; readonly place: number }[] {
  const first = new Date(now);
  first.setMinutes(0, 0, 0);
  const marks: { at: number; place: number }[] = [];
  for (let at = first.getTime() + HOUR_MS; at < now + DAY_MS; at += HOUR_MS)
    if (new Date(at).getHours() % step === 0) marks.push({ at, place: (at - now) / DAY_MS });
  return marks;
}

const OUTCOMES: Readonly<Record<SlotView['outcome'], { readonly tone: Tone; readonly label: string }>> = {
  fired: { tone: 'ok', label: 'On time' },
  late: { tone: 'warn', label: 'Late' },
  missed: { tone: 'warn', label: 'Missed' },
  skipped: { tone: 'neutral', label: 'Skipped' },
  refused: { tone: 'danger', label: 'Refused' },
  failed: { tone: 'danger', label: 'Failed' },
  manual: { tone: 'info', label: 'By hand' },
  backfilled: { tone: 'info', label: 'Backfilled' },
};

/** How the outcome of a fire time is shown. */
export const outcomeLook = (outcome: SlotView['outcome']): { readonly tone: Tone; readonly label: string } =>
  OUTCOMES[outcome];

/** The value of a `datetime-local` input in the zone of the browser. */
export function localInput(at: number): string {
  const date = new Date(at);
  const pad = (part: number): string => String(part).padStart(2, '0');
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}T${pad(date.getHours())}:${pad(date.getMinutes())}`;
}

/** The instant of such a value; null for none. */
export function localInstant(value: string): string | null {
  const at = new Date(value).getTime();
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}

/** The state of a schedule, with its cause where the schedule itself is not paused. */
export const stateOf = ({
  paused,
  schedule_paused,
}: Pick<ScheduleRow, 'paused' | 'schedule_paused'>): { readonly status: string; readonly label?: string } => {
  if (!paused) return { status: 'active' };
  return schedule_paused ? { status: 'paused' } : { status: 'disabled', label: 'Workflow is off' };
};
