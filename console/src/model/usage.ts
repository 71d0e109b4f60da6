import type { Bar } from './chart';
import { formatBytes, formatCompact, formatCount, formatUsd } from './format';
import type { Tone } from './status';

interface Day {
  readonly date: string;
  readonly running: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly steps: number;
  readonly tokens: number;
  readonly cost_usd: number;
}

/** What the chart can show of each day. */
export const FIGURES = [
  { value: 'runs', label: 'Runs' },
  { value: 'steps', label: 'Steps' },
  { value: 'tokens', label: 'Tokens' },
  { value: 'cost', label: 'Cost of models' },
] as const;
type Figure = (typeof FIGURES)[number]['value'];

interface Series {
  readonly label: string;
  readonly tone: Tone;
}

const RUNS: readonly Series[] = [
  { label: 'Completed', tone: 'ok' },
  { label: 'Failed', tone: 'danger' },
  { label: 'Cancelled', tone: 'neutral' },
  { label: 'Running', tone: 'info' },
];
const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** The series and bars of a figure, one bar for each day. Costs are in cents, since bars count whole numbers. */
export function chartOf(days: readonly Day[], figure: Figure): { series: readonly Series[]; bars: readonly Bar[] } {
  const barsOf = (values: (day: Day) => readonly number[]): readonly Bar[] =>
    days.map((day) => ({ label: dayFormat.format(Date.parse(day.date)), values: values(day) }));
  switch (figure) {
    case 'steps':
      return { series: [{ label: 'Steps', tone: 'info' }], bars: barsOf(({ steps }) => [steps]) };
    case 'tokens':
      return { series: [{ label: 'Tokens', tone: 'info' }], bars: barsOf(({ tokens }) => [tokens]) };
    case 'cost':
      return {
        series: [{ label: 'US cents', tone: 'info' }],
        bars: barsOf(({ cost_usd: cost }) => [Math.round(cost * 100)]),
      };
    default:
      return {
        series: RUNS,
        bars: barsOf(({ completed, failed, cancelled, running }) => [completed, failed, cancelled, running]),
      };
  }
}

const MEBIBYTE = 1_048_576;
const sizeText = (mebibytes: number): string => formatBytes(mebibytes * MEBIBYTE);

/** The limits of plans that are counted, in their order. */
export const LIMITS = [
  { name: 'executions_per_month', label: 'Runs this month', format: formatCount },
  { name: 'active_workflows', label: 'Active workflows', format: formatCount },
  { name: 'members', label: 'Members', format: formatCount },
  { name: 'storage_mb', label: 'Files', format: sizeText },
  { name: 'knowledge_base_mb', label: 'Knowledge', format: sizeText },
] as const;

/** All limits of plans, in the order in which they are shown. */
export const LIMIT_LABELS = [
  { name: 'executions_per_month', label: 'Runs a month', isSize: false },
  { name: 'concurrent_executions', label: 'Runs at a time', isSize: false },
  { name: 'active_workflows', label: 'Active workflows', isSize: false },
  { name: 'members', label: 'Members', isSize: false },
  { name: 'history_days', label: 'Days of history', isSize: false },
  { name: 'datasets', label: 'Data sets', isSize: false },
  { name: 'storage_mb', label: 'Files', isSize: true },
  { name: 'knowledge_base_mb', label: 'Knowledge', isSize: true },
] as const;

/** A limit of a plan in words; `isSize`: in MiB. */
export const limitText = (limit: number | null, isSize = false): string =>
  limit === null ? 'No limit' : isSize ? sizeText(limit) : formatCompact(limit);

interface Sums {
  readonly executions: { readonly total: number; readonly failed: number };
  readonly steps: number;
  readonly tokens: number;
  readonly cost_usd: number;
}

/** The sums of thirty days, as names and values. */
export const sumRows = ({ executions, steps, tokens, cost_usd }: Sums): readonly (readonly [string, string])[] => [
  ['Runs', formatCount(executions.total)],
  ['Failed runs', formatCount(executions.failed)],
  ['Steps', formatCount(steps)],
  ['Tokens', formatCount(tokens)],
  ['Cost of models', formatUsd(cost_usd)],
];
