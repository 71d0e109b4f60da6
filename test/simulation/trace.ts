import { hashOf } from './chance';

/** What happened, line by line: always as a hash, and as text on demand. */
export class Trace {
  readonly lines: string[] = [];
  #hash = [0x811c9dc5, 0x2545f491];

  constructor(
    private readonly keep: boolean,
    private readonly now: () => number,
  ) {}

  add(who: string, what: string): void {
    const line = `${this.now()} ${who} ${what}`;
    this.#hash = this.#hash.map((half) => hashOf(line, half));
    if (this.keep) this.lines.push(line);
  }

  get hash(): string {
    return this.#hash.map((half) => half.toString(16).padStart(8, '0')).join('');
  }
}
