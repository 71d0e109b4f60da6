import type { Series } from './instruments';
import type { Metric } from './table';

/** One metric in Prometheus' text format 0.0.4; only its header while it has no series. */
export function exposition(metric: Metric, { rows, values }: Series): string {
  const { name, help, kind } = metric;
  const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`];
  rows.forEach((labels, row) => {
    const named = metric.labels.map((label, index) => `${label}="${escaped(labels[index] ?? '')}"`);
    if (metric.kind === 'histogram') lines.push(...histogramLines(metric, named, values, row));
    else lines.push(`${name}${inBraces(named)} ${values[row]}`);
  });
  return `${lines.join('\n')}\n`;
}

function histogramLines(
  { name, bounds }: Extract<Metric, { kind: 'histogram' }>,
  labels: readonly string[],
  values: Float64Array,
  row: number,
): string[] {
  const at = row * (bounds.length + 2);
  let count = 0;
  const buckets = [...bounds, '+Inf'].map((bound, index) => {
    count += values[at + 1 + index] as number;
    return `${name}_bucket${inBraces([...labels, `le="${bound}"`])} ${count}`;
  });
  return [...buckets, `${name}_sum${inBraces(labels)} ${values[at]}`, `${name}_count${inBraces(labels)} ${count}`];
}

const inBraces = (labels: readonly string[]): string => (labels.length === 0 ? '' : `{${labels.join(',')}}`);

const escaped = (value: string): string => value.replace(/\\/g, '\\\\').replace(/\n/g, '\\n').replace(/"/g, '\\"');
