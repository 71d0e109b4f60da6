/**
 * Makes a run's own document durable, once, when something first needs it to be. A start whose caller waits for the
 * end needs it only at the first record, effect or wait: a run that ends before is stored ended, in one write.
 */
export class Gate {
  #opening: Promise<void> | null = null;
  #tell: (opening: Promise<void>) => void = () => {};
  /** Settles as the opening does; never, while nobody asks for it. */
  readonly opened: Promise<void>;

  constructor(private readonly store: () => Promise<void>) {
    this.opened = new Promise((resolve) => {
      this.#tell = resolve;
    });
    this.opened.catch(() => {});
  }

  /** For a run that was stored by somebody else: open already. */
  static passed(): Gate {
    const gate = new Gate(() => Promise.resolve());
    void gate.open();
    return gate;
  }

  get asked(): boolean {
    return this.#opening !== null;
  }

  open(): Promise<void> {
    if (this.#opening === null) {
      this.#opening = this.store();
      this.#tell(this.#opening);
    }
    return this.#opening;
  }
}
