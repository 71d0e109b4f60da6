/**
 * What one attempt of a step says as it comes, for whoever listens now. Owns: what is not sent yet. Does not own: who
 * listens. Nothing of it is recorded, and all of it may be lost.
 *
 *  S1  What was sent, together, is what the veil leaves of what was said: a secret that comes in pieces does not show.
 *  S2  `at` counts the characters of a take that were sent before, so that who has missed some notices.
 *  S3  A new attempt, and what is begun anew, is another take: what was heard of the former does not count.
 */
import type { Clock } from '../../lib/clock';
import type { Voice } from '../../nodes/contract';
import type { Veil } from '../rules/veil';

/** A piece of what a step says. */
export interface Said {
  readonly stepId: string;
  readonly take: string;
  readonly at: number;
  readonly text: string;
}

interface SpeechDeps {
  readonly stepId: string;
  readonly veil: Pick<Veil, 'maskSoFar' | 'maskText'>;
  readonly clock: Clock;
  /** An id that nothing else has. */
  readonly newTake: () => string;
  readonly send: (said: Said) => void;
}

/** Models speak in words of a few characters; they are sent together. */
const GATHER_MS = 40;
/** Longest take that is sent, in characters; who wants more waits for the output. */
const LONGEST = 256 * 1024;
/** Longest piece, in characters: messages on the bus have a bound. */
const LONGEST_PIECE = 16 * 1024;

export class Speech implements Voice {
  #take: string | null = null;
  /** Said, and not known yet whether it is a part of a secret. */
  #held = '';
  #ready = '';
  #at = 0;
  #pause: (() => void) | null = null;

  constructor(private readonly deps: SpeechDeps) {}

  say(text: string): void {
    if (this.#at + this.#ready.length >= LONGEST) return;
    this.#take ??= this.deps.newTake();
    const { done, rest } = this.deps.veil.maskSoFar(this.#held + text);
    this.#held = rest;
    this.#ready += done;
    if (this.#pause === null) this.#send();
  }

  restart(): void {
    this.#quiet();
    this.#take = null;
    this.#held = '';
    this.#ready = '';
    this.#at = 0;
  }

  /** All is said: what was held back is sent. */
  end(): void {
    this.#ready += this.deps.veil.maskText(this.#held);
    this.#held = '';
    this.#send();
    this.#quiet();
  }

  #send(): void {
    this.#quiet();
    if (this.#take === null || this.#ready === '') return;
    const all = this.#ready.slice(0, LONGEST - this.#at);
    for (let from = 0; from < all.length; ) {
      const text = pieceOf(all, from);
      this.deps.send({ stepId: this.deps.stepId, take: this.#take, at: this.#at, text });
      this.#at += text.length;
      from += text.length;
    }
    this.#ready = '';
    this.#pause = this.deps.clock.after(GATHER_MS, () => {
      this.#pause = null;
      this.#send();
    });
  }

  #quiet(): void {
    this.#pause?.();
    this.#pause = null;
  }
}

/** What is sent of a text from there on; a character is not cut in two. */
const pieceOf = (text: string, from: number): string =>
  text.slice(from, from + LONGEST_PIECE).replace(/(?<=[^])[\ud800-\udbff]$/, '');
