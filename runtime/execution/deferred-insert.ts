/**
 * Stores the document of a run, once, when something first needs it: a record, an effect, a wait or a caller. A run that
 * ends before is stored in its final state, in one write.
 */
export class DeferredInsert {
  #storing: Promise<void> | null = null;
  #isLeftToEnd = false;
  #onRequested: (opening: Promise<void>) => void = () => {};
  /** Settles with the insert; never, while nothing requests it. */
  readonly stored: Promise<void>;

  /** `rejectsWithEnd`: `stored` also rejects when the run cannot be stored in its final state. */
  constructor(
    private readonly insert: () => Promise<void>,
    private readonly rejectsWithEnd = false,
  ) {
    this.stored = new Promise((resolve) => {
      this.#onRequested = resolve;
    });
    this.stored.catch(() => {});
  }

  /** For a run that is stored already. */
  static alreadyStored(): DeferredInsert {
    const insert = new DeferredInsert(() => Promise.resolve());
    void insert.store();
    return insert;
  }

  get requested(): boolean {
    return this.#storing !== null;
  }

  store(): Promise<void> {
    if (this.#storing === null) {
      this.#storing = this.insert();
      this.#onRequested(this.#storing);
    }
    return this.#storing;
  }

  /** Stores the run unless its end is about to. */
  storeUnlessEnding(): void {
    if (!this.#isLeftToEnd) this.store().catch(() => {});
  }

  /** From here on only the end stores the run; false when the insert was requested before. */
  leaveToEnd(): boolean {
    this.#isLeftToEnd = this.#storing === null;
    return this.#isLeftToEnd;
  }

  /** The run could not be stored in its final state. */
  endFailed(fault: unknown): void {
    if (this.rejectsWithEnd) this.#onRequested(Promise.reject(fault));
  }
}
