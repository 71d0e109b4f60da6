/** Counters, gauges and histograms in flat arrays: an observation allocates nothing. */

/** A value per label. */
type LabelValues<L extends readonly string[]> = { readonly [I in keyof L]: string };

/** Only increases. */
export interface Counter<L extends readonly string[]> {
  add(by: number, ...labels: LabelValues<L>): void;
}

export interface Gauge<L extends readonly string[]> {
  set(value: number, ...labels: LabelValues<L>): void;
}

/** Counts values in buckets. */
export interface Histogram<L extends readonly string[]> {
  observe(value: number, ...labels: LabelValues<L>): void;
}

/** The label value of all series above an instrument's maximum. */
const OTHER = 'other';

const FIRST_ROWS = 8;

/**
 * The series of an instrument: up to three labels, and a row of numbers per combination of their values. There are at
 * most `maxRows`, and one row for all later combinations, so that callers cannot fill the memory with series.
 */
export class Series {
  readonly rows: (readonly string[])[] = [];
  #values: Float64Array;
  readonly #index = new Map<string, Map<string, Map<string, number>>>();

  constructor(
    private readonly labels: number,
    private readonly width: number,
    private readonly maxRows: number,
  ) {
    this.#values = new Float64Array(FIRST_ROWS * width);
  }

  /** The offset in `values` of the row with these labels, which is created when it is absent. */
  offsetOf(a: string, b: string, c: string): number {
    const row = this.#index.get(a)?.get(b)?.get(c);
    return (row ?? this.#create(a, b, c)) * this.width;
  }

  get values(): Float64Array {
    return this.#values;
  }

  #create(a: string, b: string, c: string): number {
    const isFull = this.rows.length >= this.maxRows;
    const others = [OTHER, OTHER, OTHER].slice(0, this.labels);
    const [x = '', y = '', z = ''] = isFull ? others : [a, b, c];
    const known = isFull ? this.#index.get(x)?.get(y)?.get(z) : undefined;
    if (known !== undefined) return known;
    const row = this.rows.push([x, y, z].slice(0, this.labels)) - 1;
    if ((row + 1) * this.width > this.#values.length) {
      const larger = new Float64Array(this.#values.length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    const second = this.#index.get(x) ?? new Map<string, Map<string, number>>();
    const third = second.get(y) ?? new Map<string, number>();
    this.#index.set(x, second.set(y, third.set(z, row)));
    return row;
  }
}

export class CounterSeries implements Counter<readonly string[]> {
  constructor(readonly series: Series) {}

  add(by: number, a = '', b = '', c = ''): void {
    const offset = this.series.offsetOf(a, b, c);
    (this.series.values[offset] as number) += by;
  }
}

export class GaugeSeries implements Gauge<readonly string[]> {
  constructor(readonly series: Series) {}

  set(value: number, a = '', b = '', c = ''): void {
    const offset = this.series.offsetOf(a, b, c);
    this.series.values[offset] = value;
  }
}

/** A row is the sum, then a count for each bucket, then the count above all of them. */
export class HistogramSeries implements Histogram<readonly string[]> {
  constructor(
    readonly series: Series,
    readonly bounds: readonly number[],
  ) {}

  observe(value: number, a = '', b = '', c = ''): void {
    const offset = this.series.offsetOf(a, b, c);
    const { values } = this.series;
    const { bounds } = this;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket += 1;
    (values[offset] as number) += value;
    (values[offset + 1 + bucket] as number) += 1;
  }
}
