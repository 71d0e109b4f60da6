/**
 * Stores the document of a run, once, when something first needs it. A start whose caller waits for the end needs it
 * only at the first record, effect or wait: a run that ends before is stored in its final state, in one write.
 */
export class DeferredInsert {
  #storing: Promise<void> | null = null;
  #onRequested: (opening: Promise<void>) => void = () => {};
  /** Settles with the insert; never, while nothing requests it. */
  readonly stored: Promise<void>;

  constructor(private readonly insert: () => Promise<void>) {
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
}
