import type { SaidEvent } from '../../executor/contract';

/** What a listener is to be told: more of the text, or that the text begins anew. */
export type Heard = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'reset' };

/**
 * The text of a run as far as it was heard. Pieces may be lost: then what follows in the same take is left out, since a
 * text with a hole misleads; the run's output has all of it.
 */
export class Hearing {
  #take: string | null = null;
  #length = 0;
  #lost = false;
  #waiting: Heard[] = [];

  /** Answers whether there is something to tell. */
  hear({ take, at, text }: Pick<SaidEvent, 'take' | 'at' | 'text'>): boolean {
    if (take !== this.#take) {
      // Nothing of the former take has been told when nothing of it was heard in order.
      const told = this.#length > 0;
      this.#take = take;
      this.#length = 0;
      this.#lost = false;
      if (told) this.#waiting = [{ kind: 'reset' }];
    }
    if (this.#lost || at !== this.#length) {
      this.#lost = true;
      return this.#waiting.length > 0;
    }
    this.#length += text.length;
    const last = this.#waiting.at(-1);
    if (last?.kind === 'text') this.#waiting[this.#waiting.length - 1] = { kind: 'text', text: last.text + text };
    else this.#waiting.push({ kind: 'text', text });
    return true;
  }

  /** What is to be told now; each is given once. */
  taken(): Heard[] {
    const taken = this.#waiting;
    this.#waiting = [];
    return taken;
  }
}
