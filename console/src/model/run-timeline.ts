/** What the chart needs of a span of the API. Times are RFC 3339. */
export interface Span {
  readonly address: string;
  readonly path: string;
  readonly step_id: string;
  readonly type: string;
  readonly kind: 'pause' | 'run' | 'wait';
  readonly attempt: number;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly outcome: string | null;
  readonly loop?: LoopProgress;
}

/** Counts of a loop. */
interface LoopProgress {
  readonly total: number | null;
  readonly begun: number;
  readonly ended: number;
  readonly steps: Readonly<Record<string, number>>;
}

/** A stretch of a row, in percent of the whole run. */
export interface Bar {
  readonly left: number;
  readonly width: number;
  readonly span: Span;
}

/** All spans of one step in one iteration. */
export interface TimelineRow {
  readonly path: string;
  readonly address: string;
  readonly stepId: string;
  readonly type: string;
  /** Levels of blocks and iterations around it. */
  readonly depth: number;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly bars: readonly Bar[];
  readonly loop?: LoopProgress;
}

/** A pause of the whole run. Times are RFC 3339. */
interface Pause {
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly by: string | null;
  readonly reason: string | null;
}

/** A pause in percent of the whole run. */
export interface PauseBar {
  readonly left: number;
  readonly width: number;
  readonly pause: Pause;
}

interface Period {
  readonly from: number;
  readonly to: number;
}

/** Bars stay visible however short the step was. */
const MIN_PERCENT = 0.4;

/** Where a stretch is in a period, in percent. `now` ends what goes on. */
function placeOf(
  { started_at, ended_at }: Pick<Span, 'started_at' | 'ended_at'>,
  { from, to }: Period,
  now: number,
): { readonly left: number; readonly width: number; readonly end: number } {
  const length = Math.max(1, to - from);
  const [start, end] = [Date.parse(started_at), ended_at === null ? now : Date.parse(ended_at)];
  const left = clamp(((start - from) / length) * 100, 0, 100 - MIN_PERCENT);
  return { left, width: clamp(((end - start) / length) * 100, MIN_PERCENT, 100 - left), end };
}

/** The pauses of a run as bars. */
export const pauseBars = (pauses: readonly Pause[], period: Period, now: number): PauseBar[] =>
  pauses.map((pause) => {
    const { left, width } = placeOf(pause, period, now);
    return { left, width, pause };
  });

/** The rows of the chart in the order in which their steps began. `now` ends what goes on. */
export function timelineRows(spans: readonly Span[], period: Period, now: number): TimelineRow[] {
  const rows = new Map<string, { first: Span; bars: Bar[]; end: number | null }>();
  for (const span of spans) {
    const { left, width, end } = placeOf(span, period, now);
    const row = rows.get(span.path) ?? { first: span, bars: [], end: 0 };
    row.bars.push({ left, width, span });
    row.end = row.end === null || span.ended_at === null ? null : Math.max(row.end, end);
    rows.set(span.path, row);
  }
  return [...rows.values()].map(({ first, bars, end }) => ({
    path: first.path,
    address: first.address,
    stepId: first.step_id,
    type: first.type,
    depth: depthOf(first.path),
    startedAt: Date.parse(first.started_at),
    endedAt: end,
    bars,
    ...(first.loop === undefined ? {} : { loop: first.loop }),
  }));
}

/** Containers around a step, by its path such as `each/steps[17]/fetch`: every second name is a list of a container. */
const depthOf = (path: string): number => Math.floor((path.split('/').length - 1) / 2);

const clamp = (value: number, min: number, max: number): number => Math.min(Math.max(value, min), max);

/** Instants for the axis, at round distances: at most `count` besides the start, in milliseconds from the start. */
export function ticksOf(lengthMs: number, count = 6): number[] {
  const step = ROUND_MS.find((round) => lengthMs / round <= count) ?? Math.ceil(lengthMs / count);
  return Array.from({ length: Math.floor(lengthMs / step) + 1 }, (_, index) => index * step);
}

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000] as const;
const ROUND_MS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 6, 12].map((hours) => hours * HOUR),
  ...[1, 2, 7, 14, 30, 90, 365].map((days) => days * DAY),
];
