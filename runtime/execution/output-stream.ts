/**
 * The live output of one attempt of a step. Owns: the buffer. Does not own: the subscribers. Nothing is recorded, and
 * all of it may be lost.
 *
 *  S1  The concatenated chunks are the redacted text: a secret that is split over several writes is not shown.
 *  S2  `offset` counts the characters of the stream sent before, so that a subscriber notices a gap.
 *  S3  A new attempt, and a reset, begin another stream: subscribers discard the former one.
 */
import type { Clock } from '../../lib/clock';
import type { StepStream } from '../../nodes/contract';
import type { SecretRedactor } from '../core/secrets/secret-redactor';

/** A part of a stream. */
export interface StreamChunk {
  readonly stepId: string;
  readonly streamId: string;
  readonly offset: number;
  readonly text: string;
}

interface OutputStreamDeps {
  readonly stepId: string;
  readonly redactor: Pick<SecretRedactor, 'redactPartial' | 'redactText'>;
  readonly clock: Clock;
  /** Returns a unique id. */
  readonly newStreamId: () => string;
  readonly send: (chunk: StreamChunk) => void;
}

/** Models produce words of a few characters; they are sent together. */
const FLUSH_INTERVAL_MS = 40;
/** Maximum length of a stream; the rest comes with the output of the run. */
const MAX_STREAM_CHARS = 256 * 1024;
/** Maximum length of a chunk: messages on the bus are limited. */
const MAX_CHUNK_CHARS = 16 * 1024;

export class OutputStream implements StepStream {
  #streamId: string | null = null;
  /** Text that may be the beginning of a secret. */
  #pending = '';
  #ready = '';
  #offset = 0;
  #timer: (() => void) | null = null;

  constructor(private readonly deps: OutputStreamDeps) {}

  write(text: string): void {
    if (this.#offset + this.#ready.length >= MAX_STREAM_CHARS) return;
    this.#streamId ??= this.deps.newStreamId();
    const { done, rest } = this.deps.redactor.redactPartial(this.#pending + text);
    this.#pending = rest;
    this.#ready += done;
    if (this.#timer === null) this.#send();
  }

  reset(): void {
    this.#cancelTimer();
    this.#streamId = null;
    this.#pending = '';
    this.#ready = '';
    this.#offset = 0;
  }

  /** Ends the stream and sends the pending text. */
  end(): void {
    this.#ready += this.deps.redactor.redactText(this.#pending);
    this.#pending = '';
    this.#send();
    this.#cancelTimer();
  }

  #send(): void {
    this.#cancelTimer();
    if (this.#streamId === null || this.#ready === '') return;
    const all = this.#ready.slice(0, MAX_STREAM_CHARS - this.#offset);
    for (let from = 0; from < all.length; ) {
      const text = chunkOf(all, from);
      this.deps.send({ stepId: this.deps.stepId, streamId: this.#streamId, offset: this.#offset, text });
      this.#offset += text.length;
      from += text.length;
    }
    this.#ready = '';
    this.#timer = this.deps.clock.after(FLUSH_INTERVAL_MS, () => {
      this.#timer = null;
      this.#send();
    });
  }

  #cancelTimer(): void {
    this.#timer?.();
    this.#timer = null;
  }
}

/** The next chunk of a text; surrogate pairs are not split. */
const chunkOf = (text: string, from: number): string =>
  text.slice(from, from + MAX_CHUNK_CHARS).replace(/(?<=[^])[\ud800-\udbff]$/, '');
