import { Count, type Counter, Distribution, type Gauge, type Histogram, Level, Series } from './instruments';
import { METRICS, type Metric, type MetricTable } from './table';
import { exposition } from './text';

const MOST_SERIES = 200;
/** Scrapers wait for ten seconds by default, and would have nothing where a database stands still. */
const LOOK_MS = 4_000;

type InstrumentOf<M extends Metric> = M['kind'] extends 'counter'
  ? Counter<M['labels']>
  : M['kind'] extends 'gauge'
    ? Gauge<M['labels']>
    : Histogram<M['labels']>;

type Instruments = { readonly [K in keyof MetricTable]: InstrumentOf<MetricTable[K]> };

/** Every instrument of the table, by its key there. */
export interface Metrics extends Instruments {
  /** False where nobody will ever look: what only serves to count need not be done. */
  readonly on: boolean;
  /** Called before each scrape, to set what is not counted but looked at; the answer ends that. */
  sampled(look: () => void | Promise<void>): () => void;
}

/** Metrics that are kept, and their text for whoever asks. */
export interface Registry {
  readonly metrics: Metrics;
  /** All of them in Prometheus' text format 0.0.4. */
  text(): Promise<string>;
}

const widthOf = (metric: Metric): number => (metric.kind === 'histogram' ? metric.bounds.length + 2 : 1);

function instrumentOf(metric: Metric): Count | Level | Distribution {
  const series = new Series(metric.labels.length, widthOf(metric), metric.most ?? MOST_SERIES);
  // What has no labels is there from the start: its absence would say that it is not counted.
  if (metric.labels.length === 0 && metric.kind !== 'gauge') series.at('', '', '');
  if (metric.kind !== 'histogram') for (const value of metric.values ?? []) series.at(value, '', '');
  if (metric.kind === 'histogram') return new Distribution(series, metric.bounds);
  return metric.kind === 'counter' ? new Count(series) : new Level(series);
}

/** `lookMs`: how long a look may take before the scrape goes on without it. */
export function createRegistry({ lookMs = LOOK_MS }: { readonly lookMs?: number } = {}): Registry {
  const looks = new Set<Look>();
  const made = Object.entries(METRICS).map(([key, metric]) => ({ key, metric, instrument: instrumentOf(metric) }));
  const byKey = Object.fromEntries(made.map(({ key, instrument }) => [key, instrument]));
  // The table says for each key which kind it is, and `instrumentOf` makes that.
  const instruments = byKey as unknown as Instruments;
  return {
    metrics: {
      ...instruments,
      on: true,
      sampled(run) {
        const look: Look = { run, going: null };
        looks.add(look);
        return () => void looks.delete(look);
      },
    },
    async text() {
      const looked = await Promise.allSettled([...looks].map((look) => within(lookMs, goingOn(look))));
      for (const { status } of looked) if (status === 'rejected') instruments.looksFailed.add(1);
      return made.map(({ metric, instrument }) => exposition(metric, instrument.series)).join('');
    },
  };
}

/** What is called before each scrape, and its call that is not over yet. */
interface Look {
  readonly run: () => void | Promise<void>;
  going: Promise<void> | null;
}

/** One call at a time: where the database does not answer, each scrape would leave one more question with it. */
function goingOn(look: Look): Promise<void> {
  look.going ??= (async () => look.run())().finally(() => {
    look.going = null;
  });
  return look.going;
}

async function within(ms: number, looking: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('the look is not over in time')), ms);
  });
  await Promise.race([looking, late]).finally(() => clearTimeout(timer));
}

const nothing = (): void => {};
const silent = { add: nothing, set: nothing, observe: nothing };

/** Where nobody looks, nothing is kept. */
export const SILENT_METRICS: Metrics = {
  ...(Object.fromEntries(Object.keys(METRICS).map((key) => [key, silent])) as unknown as Instruments),
  on: false,
  sampled: () => nothing,
};
