/** What is counted, kept in flat arrays: a hot path that counts something allocates nothing. */

/** One value for each label. */
type Texts<L extends readonly string[]> = { readonly [I in keyof L]: string };

/** Only ever grows. */
export interface Counter<L extends readonly string[]> {
  add(by: number, ...labels: Texts<L>): void;
}

/** Goes up and down. */
export interface Gauge<L extends readonly string[]> {
  set(value: number, ...labels: Texts<L>): void;
}

/** Counts values by how large they are. */
export interface Histogram<L extends readonly string[]> {
  observe(value: number, ...labels: Texts<L>): void;
}

/** Stands for the labels of all series beyond the most that an instrument has. */
export const OTHER = 'other';

const FIRST_ROWS = 8;

/**
 * The series of one instrument: up to three labels, a row of numbers for each set of their values. There are at most
 * `most` rows, and one for all that come later, so that no caller can make a process keep ever more of them.
 */
export class Series {
  readonly rows: (readonly string[])[] = [];
  #values: Float64Array;
  readonly #index = new Map<string, Map<string, Map<string, number>>>();

  constructor(
    private readonly labels: number,
    private readonly width: number,
    private readonly most: number,
  ) {
    this.#values = new Float64Array(FIRST_ROWS * width);
  }

  /** Where the row of these labels begins in `values`; made when there is none. */
  at(a: string, b: string, c: string): number {
    const row = this.#index.get(a)?.get(b)?.get(c);
    return (row ?? this.#make(a, b, c)) * this.width;
  }

  get values(): Float64Array {
    return this.#values;
  }

  #make(a: string, b: string, c: string): number {
    const full = this.rows.length >= this.most;
    const rest = [OTHER, OTHER, OTHER].slice(0, this.labels);
    const [x = '', y = '', z = ''] = full ? rest : [a, b, c];
    const known = full ? this.#index.get(x)?.get(y)?.get(z) : undefined;
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

export class Count implements Counter<readonly string[]> {
  constructor(readonly series: Series) {}

  add(by: number, a = '', b = '', c = ''): void {
    const at = this.series.at(a, b, c);
    (this.series.values[at] as number) += by;
  }
}

export class Level implements Gauge<readonly string[]> {
  constructor(readonly series: Series) {}

  set(value: number, a = '', b = '', c = ''): void {
    const at = this.series.at(a, b, c);
    this.series.values[at] = value;
  }
}

/** A row is the sum, then a count for each bound, then one for what is above all of them. */
export class Distribution implements Histogram<readonly string[]> {
  constructor(
    readonly series: Series,
    readonly bounds: readonly number[],
  ) {}

  observe(value: number, a = '', b = '', c = ''): void {
    const at = this.series.at(a, b, c);
    const { values } = this.series;
    const { bounds } = this;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket += 1;
    (values[at] as number) += value;
    (values[at + 1 + bucket] as number) += 1;
  }
}
