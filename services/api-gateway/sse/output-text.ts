import type { OutputEvent } from '../../../contracts/executions/views';

/** A piece for a subscriber: more of the text, or a reset before the text begins again. */
export type OutputPiece = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'reset' };

/**
 * The streamed output of a run, in order. Chunks may be lost: then the rest of that stream is dropped, since a
 * text with a hole misleads; the run's output has all of it.
 */
export class OutputText {
  #take: string | null = null;
  #length = 0;
  #lost = false;
  #waiting: OutputPiece[] = [];

  /** Returns whether there are pieces to deliver. */
  add({ take, at, text }: Pick<OutputEvent, 'take' | 'at' | 'text'>): boolean {
    if (take !== this.#take) {
      // A reset is needed only if text of the former stream was delivered.
      const isDelivered = this.#length > 0;
      this.#take = take;
      this.#length = 0;
      this.#lost = false;
      if (isDelivered) this.#waiting = [{ kind: 'reset' }];
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

  /** Returns the pieces that were not returned before. */
  take(): OutputPiece[] {
    const taken = this.#waiting;
    this.#waiting = [];
    return taken;
  }
}
