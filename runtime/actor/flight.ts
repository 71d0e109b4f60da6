/** One attempt in progress, which can be told to stop. Its signal is made on demand: most steps never look at it. */
export class Flight {
  #controller: AbortController | null = null;
  #aborted = false;

  get aborted(): boolean {
    return this.#aborted;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#aborted) this.#controller.abort();
    return this.#controller.signal;
  }

  abort(): void {
    this.#aborted = true;
    this.#controller?.abort();
  }
}
