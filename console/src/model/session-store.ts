import { createStore, type Store } from './store';

/** What tabs of one browser send each other. */
export type SessionMessage =
  | { readonly kind: 'ask' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'signed out' };

/** What the session needs of the browser. */
interface SessionEnvironment {
  read(): string | null;
  write(token: string | null): void;
  post(message: SessionMessage): void;
  wait(ms: number): Promise<void>;
}

interface SessionState {
  readonly token: string | null;
  /** The token has ended, and the sign-in is shown over the page. */
  readonly expired: boolean;
}

/** How long a new tab waits for the others. */
const ASK_MS = 150;

/** The session of this tab. The token is in memory and in the storage of the tab, never in a cookie or an address. */
export class SessionStore {
  readonly #state: Store<SessionState>;
  readonly #environment: SessionEnvironment;
  #waiting: ((token: string | null) => void)[] = [];

  constructor(environment: SessionEnvironment) {
    this.#environment = environment;
    this.#state = createStore<SessionState>({ token: environment.read(), expired: false });
  }

  get token(): string | null {
    return this.#state.get().token;
  }

  readonly subscribe = (listener: () => void): (() => void) => this.#state.subscribe(listener);
  readonly get = (): SessionState => this.#state.get();

  /** Asks the other tabs where this one has no token. Resolves to whether there is one. */
  async restore(): Promise<boolean> {
    if (this.token !== null) return true;
    this.#environment.post({ kind: 'ask' });
    await this.#environment.wait(ASK_MS);
    return this.token !== null;
  }

  /** Takes the token of a sign-in, and gives it to the other tabs. */
  signIn(token: string): void {
    this.#take(token);
    this.#environment.post({ kind: 'token', token });
  }

  /** Ends the session in every tab. */
  signOut(): void {
    this.#drop();
    this.#environment.post({ kind: 'signed out' });
  }

  /** Waits for a new sign-in after a request with `used` was refused. Null: the user signed out instead. */
  renew(used: string): Promise<string | null> {
    const { token } = this.#state.get();
    if (token !== used) return Promise.resolve(token);
    this.#state.set({ token, expired: true });
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** A message of another tab. */
  receive(message: SessionMessage): void {
    const { token, expired } = this.#state.get();
    if (message.kind === 'signed out') this.#drop();
    else if (message.kind === 'token') {
      if (token === null || expired) this.#take(message.token);
    } else if (token !== null && !expired) this.#environment.post({ kind: 'token', token });
  }

  #take(token: string): void {
    this.#environment.write(token);
    this.#state.set({ token, expired: false });
    this.#answer(token);
  }

  #drop(): void {
    this.#environment.write(null);
    this.#state.set({ token: null, expired: false });
    this.#answer(null);
  }

  #answer(token: string | null): void {
    for (const resolve of this.#waiting.splice(0)) resolve(token);
  }
}
