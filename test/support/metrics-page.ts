import { METRICS } from '../../lib/metrics';

/** The table of all metrics, as docs/metrics.md has it. */
export const metricsTable = (): string =>
  [
    '| metric | kind | labels | what it says |',
    '|---|---|---|---|',
    ...Object.values(METRICS).map(
      ({ name, kind, labels, help }) => `| \`${name}\` | ${kind} | ${labels.join(', ') || '-'} | ${help} |`,
    ),
  ].join('\n');
