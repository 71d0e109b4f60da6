/** The best rows so far, at most so many: a heap whose root is the worst of them. Of equal scores, the earlier row stays. */
export class BestRows {
  readonly #scores: Float64Array;
  readonly #rows: Uint32Array;
  #size = 0;

  private readonly limit: number;

  constructor(limit: number) {
    this.limit = Math.max(1, limit);
    this.#scores = new Float64Array(this.limit);
    this.#rows = new Uint32Array(this.limit);
  }

  /** What a score must be above to be kept. */
  get least(): number {
    return this.#size < this.limit ? Number.NEGATIVE_INFINITY : (this.#scores[0] as number);
  }

  add(row: number, score: number): void {
    if (this.#size < this.limit) return this.#rise(this.#size++, row, score);
    if (this.#isWorse(score, row, 0)) return;
    this.#sink(row, score);
  }

  /** Scores of rows that follow each other, from `row` on. */
  addAll(row: number, scores: Float32Array): void {
    for (let n = 0; n < scores.length; n++) {
      const score = scores[n] as number;
      if (score > this.least) this.add(row + n, score);
    }
  }

  /** The best first. */
  sorted(): { row: number; score: number }[] {
    return Array.from({ length: this.#size }, (_, n) => ({
      row: this.#rows[n] as number,
      score: this.#scores[n] as number,
    })).sort((a, b) => b.score - a.score || a.row - b.row);
  }

  #rise(from: number, row: number, score: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#isWorse(score, row, parent)) break;
      this.#move(parent, at);
      at = parent;
    }
    this.#put(at, row, score);
  }

  #sink(row: number, score: number): void {
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      if (left >= this.#size) break;
      const right = left + 1;
      const worse = right < this.#size && this.#isWorseThan(right, left) ? right : left;
      if (this.#isWorse(score, row, worse)) break;
      this.#move(worse, at);
      at = worse;
    }
    this.#put(at, row, score);
  }

  /** Whether a score of a row is worse than what is at a place. */
  #isWorse(score: number, row: number, at: number): boolean {
    const other = this.#scores[at] as number;
    return score < other || (score === other && row > (this.#rows[at] as number));
  }

  #isWorseThan(a: number, b: number): boolean {
    return this.#isWorse(this.#scores[a] as number, this.#rows[a] as number, b);
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#rows[from] as number, this.#scores[from] as number);
  }

  #put(at: number, row: number, score: number): void {
    this.#rows[at] = row;
    this.#scores[at] = score;
  }
}
