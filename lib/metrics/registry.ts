import {
  type Counter,
  CounterSeries,
  type Gauge,
  GaugeSeries,
  type Histogram,
  HistogramSeries,
  Series,
} from './instruments';
import { METRICS, type Metric, type MetricTable } from './table';
import { exposition } from './text';

const MAX_SERIES = 200;
/** Below Prometheus' default scrape timeout of ten seconds, so that a scrape succeeds while the database is away. */
const COLLECT_TIMEOUT_MS = 4_000;

type InstrumentOf<M extends Metric> = M['kind'] extends 'counter'
  ? Counter<M['labels']>
  : M['kind'] extends 'gauge'
    ? Gauge<M['labels']>
    : Histogram<M['labels']>;

type Instruments = { readonly [K in keyof MetricTable]: InstrumentOf<MetricTable[K]> };

/** Every instrument of the table, by its key there. */
export interface Metrics extends Instruments {
  /** False when metrics are off: work that only serves to count can be skipped. */
  readonly on: boolean;
  /** Adds a function that is called before each scrape, to set gauges; returns its removal. */
  onCollect(collect: () => void | Promise<void>): () => void;
}

export interface Registry {
  readonly metrics: Metrics;
  /** All metrics in Prometheus' text format 0.0.4. */
  text(): Promise<string>;
}

const widthOf = (metric: Metric): number => (metric.kind === 'histogram' ? metric.bounds.length + 2 : 1);

function instrumentOf(metric: Metric): CounterSeries | GaugeSeries | HistogramSeries {
  const series = new Series(metric.labels.length, widthOf(metric), metric.maxSeries ?? MAX_SERIES);
  // A metric without labels is present from the start: otherwise it would look unsupported.
  if (metric.labels.length === 0 && metric.kind !== 'gauge') series.offsetOf('', '', '');
  if (metric.kind !== 'histogram') for (const value of metric.values ?? []) series.offsetOf(value, '', '');
  if (metric.kind === 'histogram') return new HistogramSeries(series, metric.bounds);
  return metric.kind === 'counter' ? new CounterSeries(series) : new GaugeSeries(series);
}

/** `collectTimeoutMs`: how long a scrape waits for a collector before it continues without it. */
export function createRegistry({
  collectTimeoutMs = COLLECT_TIMEOUT_MS,
}: {
  readonly collectTimeoutMs?: number;
} = {}): Registry {
  const collectors = new Set<Collector>();
  const made = Object.entries(METRICS).map(([key, metric]) => ({ key, metric, instrument: instrumentOf(metric) }));
  const byKey = Object.fromEntries(made.map(({ key, instrument }) => [key, instrument]));
  // The table defines the kind of each key, and `instrumentOf` follows it.
  const instruments = byKey as unknown as Instruments;
  return {
    metrics: {
      ...instruments,
      on: true,
      onCollect(run) {
        const collector: Collector = { run, running: null };
        collectors.add(collector);
        return () => void collectors.delete(collector);
      },
    },
    async text() {
      const results = await Promise.allSettled(
        [...collectors].map((collector) => withTimeout(collectTimeoutMs, collect(collector))),
      );
      for (const { status } of results) if (status === 'rejected') instruments.collectorsFailed.add(1);
      return made.map(({ metric, instrument }) => exposition(metric, instrument.series)).join('');
    },
  };
}

interface Collector {
  readonly run: () => void | Promise<void>;
  running: Promise<void> | null;
}

/** One call at a time: while the database does not answer, each scrape would add one more query. */
function collect(collector: Collector): Promise<void> {
  collector.running ??= (async () => collector.run())().finally(() => {
    collector.running = null;
  });
  return collector.running;
}

async function withTimeout(ms: number, collecting: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('the collector did not finish in time')), ms);
  });
  await Promise.race([collecting, timeout]).finally(() => clearTimeout(timer));
}

const nothing = (): void => {};
const silent = { add: nothing, set: nothing, observe: nothing };

/** For processes without METRICS_PORT. */
export const SILENT_METRICS: Metrics = {
  ...(Object.fromEntries(Object.keys(METRICS).map((key) => [key, silent])) as unknown as Instruments),
  on: false,
  onCollect: () => nothing,
};
