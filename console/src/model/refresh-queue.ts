/** The first words of the keys of queries, such as `['runs', 'list']`. */
export type KeyPrefix = readonly unknown[];

/** What should be fetched again. */
export interface Refresh {
  readonly key: KeyPrefix;
  /** How old an answer of the server may be: one that is asked for sooner may not have the change. 0 unless given. */
  readonly serverAgeMs?: number;
}

interface RefreshEnvironment {
  now(): number;
  /** Calls back later; answers a function that prevents it. */
  after(ms: number, act: () => void): () => void;
  /** Whether the page is out of sight, so that nothing is fetched. */
  isHidden(): boolean;
  /** Fetches what is shown of these keys again. Answers the keys of queries that are being fetched already. */
  refresh(keys: readonly KeyPrefix[]): readonly KeyPrefix[];
}

/** Changes that come together are one refresh. */
const GATHER_MS = 100;
/** Between two refreshes, so that a query is fetched at most once in it. */
const PAUSE_MS = 1_000;

interface Later {
  /** There was another change since the wait began. */
  again: boolean;
  cancel: () => void;
}

/** Turns any number of changes into few refreshes; no change is lost. */
export class RefreshQueue {
  readonly #environment: RefreshEnvironment;
  readonly #due = new Map<string, KeyPrefix>();
  readonly #later = new Map<string, Later>();
  #cancel: (() => void) | null = null;
  #last = Number.NEGATIVE_INFINITY;

  constructor(environment: RefreshEnvironment) {
    this.#environment = environment;
  }

  add(refreshes: readonly Refresh[]): void {
    for (const refresh of refreshes) {
      if (refresh.serverAgeMs === undefined) this.#due.set(JSON.stringify(refresh.key), refresh.key);
      else this.#addLater(refresh.key, refresh.serverAgeMs);
    }
    this.#schedule();
  }

  /** The page has come into sight. */
  resume(): void {
    this.#schedule();
  }

  clear(): void {
    this.#cancel?.();
    this.#cancel = null;
    for (const { cancel } of this.#later.values()) cancel();
    this.#later.clear();
    this.#due.clear();
  }

  #addLater(key: KeyPrefix, ms: number): void {
    const name = JSON.stringify(key);
    const known = this.#later.get(name);
    if (known !== undefined) {
      known.again = true;
      return;
    }
    const wait = (): void => {
      const cancel = this.#environment.after(ms, () => {
        const { again = false } = this.#later.get(name) ?? {};
        this.#later.delete(name);
        if (again) wait();
        this.add([{ key }]);
      });
      this.#later.set(name, { again: false, cancel });
    };
    wait();
  }

  #schedule(): void {
    const { now, after, isHidden } = this.#environment;
    if (this.#cancel !== null || this.#due.size === 0 || isHidden()) return;
    const ms = Math.max(GATHER_MS, this.#last + PAUSE_MS - now());
    this.#cancel = after(ms, () => this.#flush());
  }

  #flush(): void {
    this.#cancel = null;
    // It stays due until the page is seen again.
    if (this.#environment.isHidden()) return;
    const keys = [...this.#due.values()];
    this.#due.clear();
    this.#last = this.#environment.now();
    // An answer that is on its way may be older than the change.
    this.add(this.#environment.refresh(keys).map((key) => ({ key })));
  }
}
