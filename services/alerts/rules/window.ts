/**
 * Counts and durations of the runs of the last while, in thirty parts of it. Durations are counted in classes that grow by
 * a twentieth, so percentiles are exact to 5 %, in bounded memory. Pure.
 */
import type { EndedRun } from '../../../contracts/alerts';

interface Part {
  readonly start: number;
  readonly total: number;
  readonly failed: number;
  /** Runs by class of duration. */
  readonly classes: Readonly<Record<string, number>>;
}

export interface Window {
  readonly parts: readonly Part[];
  /** The last failed runs, oldest first. */
  readonly failures: readonly string[];
  /** The last slow runs. */
  readonly slow: readonly string[];
}

const PARTS = 30;
const GROWTH = 1.05;
const MAX_IDS = 5;

export const EMPTY_WINDOW: Window = { parts: [], failures: [], slow: [] };

const classOf = (ms: number): number => Math.ceil(Math.log(Math.max(ms, 0) + 1) / Math.log(GROWTH));
const longestOf = (index: number): number => GROWTH ** index - 1;

/** The window with one more run. `slowMs`: runs that took longer are named. One that ended before the window is left out. */
export function withRun(window: Window, run: EndedRun, now: number, widthMs: number, slowMs: number): Window {
  if (run.ended_at <= now - widthMs) return window;
  const partMs = widthMs / PARTS;
  const start = Math.floor(run.ended_at / partMs) * partMs;
  const known = window.parts.find((part) => part.start === start) ?? { start, total: 0, failed: 0, classes: {} };
  const index = String(classOf(run.duration_ms));
  const failed = run.status === 'failed';
  const part: Part = {
    start,
    total: known.total + 1,
    failed: known.failed + (failed ? 1 : 0),
    classes: { ...known.classes, [index]: (known.classes[index] ?? 0) + 1 },
  };
  return {
    parts: [...window.parts.filter((each) => each.start !== start), part],
    failures: failed ? [...window.failures, run.id].slice(-MAX_IDS) : window.failures,
    slow: run.duration_ms > slowMs ? [...window.slow, run.id].slice(-MAX_IDS) : window.slow,
  };
}

/** The window without the parts that are over. */
export function pruned(window: Window, now: number, widthMs: number): Window {
  const from = now - widthMs - widthMs / PARTS;
  const parts = window.parts.filter(({ start }) => start > from);
  if (parts.length === window.parts.length) return window;
  return parts.length === 0 ? EMPTY_WINDOW : { ...window, parts };
}

interface Totals {
  readonly total: number;
  readonly failed: number;
  /** Null without runs. */
  readonly p95Ms: number | null;
}

export function totalsOf({ parts }: Window): Totals {
  const sum = (of: (part: Part) => number): number => parts.reduce((all, part) => all + of(part), 0);
  const total = sum((part) => part.total);
  return { total, failed: sum((part) => part.failed), p95Ms: total === 0 ? null : percentile(parts, 0.95 * total) };
}

function percentile(parts: readonly Part[], rank: number): number {
  const counts = new Map<number, number>();
  for (const { classes } of parts)
    for (const [index, count] of Object.entries(classes))
      counts.set(Number(index), (counts.get(Number(index)) ?? 0) + count);
  let seen = 0;
  for (const [index, count] of [...counts].sort(([a], [b]) => a - b)) {
    seen += count;
    if (seen >= rank) return longestOf(index);
  }
  return 0;
}
