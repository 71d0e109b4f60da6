type Listener = Parameters<AbortSignal['addEventListener']>[1];

/** One attempt in progress, which can be aborted. Its signal is created on demand: most steps never use it. */
export class InFlightAttempt {
  #controller: AbortController | null = null;
  #aborted = false;
  /** `onListenerFault` receives what an abort listener throws. */
  constructor(private readonly onListenerFault: (fault: unknown) => void) {}

  get aborted(): boolean {
    return this.#aborted;
  }

  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      isolateListeners(this.#controller.signal, this.onListenerFault);
    }
    if (this.#aborted) this.#controller.abort();
    return this.#controller.signal;
  }

  abort(): void {
    this.#aborted = true;
    this.#controller?.abort();
  }
}

/** Node turns what an event listener throws into an uncaught exception, which ends the process with all its runs. */
function isolateListeners(signal: AbortSignal, onFault: (fault: unknown) => void): void {
  const isolated = new WeakMap<object, (event: Event) => void>();
  const isolate = (listener: Listener): Listener => {
    if (typeof listener !== 'function' && (typeof listener !== 'object' || listener === null)) return listener;
    const known = isolated.get(listener);
    if (known !== undefined) return known;
    const call = async (event: Event): Promise<void> => {
      // Typed as returning nothing, but a listener may be an async function.
      const result: unknown =
        typeof listener === 'function' ? listener.call(signal, event) : listener.handleEvent(event);
      await (result as Promise<void>);
    };
    const safe = (event: Event): void => void call(event).catch(onFault);
    isolated.set(listener, safe);
    return safe;
  };
  const { addEventListener, removeEventListener } = signal;
  let onabort: Listener | null = null;
  Object.defineProperties(signal, {
    addEventListener: {
      value: (type: string, listener: Listener, options?: Parameters<typeof addEventListener>[2]) =>
        addEventListener.call(signal, type, isolate(listener), options),
    },
    removeEventListener: {
      value: (type: string, listener: Listener, options?: Parameters<typeof removeEventListener>[2]) =>
        removeEventListener.call(signal, type, isolate(listener), options),
    },
    onabort: {
      get: () => onabort,
      set: (listener: Listener | null) => {
        if (onabort !== null) signal.removeEventListener('abort', onabort);
        onabort = listener;
        if (listener !== null) signal.addEventListener('abort', listener);
      },
    },
  });
}
