import type { Message } from '../core/state/state';
import { outputExecutionId, withOutput } from '../core/decide/children';
import type { Received, RunStore } from '../ports/run-store';

/** Consumed messages are marked from this number on. */
const MIN_CONSUMED_TO_MARK = 32;

/** Reads the messages of one run. Owns: how many were read. Does not own: what they mean. */
export class MessageReader {
  #messageSeq: number;
  #reading: Promise<void> | null = null;
  #again = false;
  /** Messages not marked as consumed. */
  readonly #unmarked = new Set<string>();

  constructor(
    private readonly store: Pick<RunStore, 'messages' | 'load' | 'markConsumed'>,
    private readonly executionId: string,
    messageSeq: number,
  ) {
    this.#messageSeq = messageSeq;
  }

  /** The count covered by the messages read so far. */
  get messageSeq(): number {
    return this.#messageSeq;
  }

  /** Notes a delivered message. */
  see({ id }: Message): void {
    this.#unmarked.add(id);
  }

  /**
   * Marks messages that durable entries have consumed, so that they are not read again; only when there are enough to
   * be worth a write.
   */
  async mark(consumed: ReadonlySet<string>): Promise<void> {
    const ids = [...this.#unmarked].filter((id) => consumed.has(id));
    if (ids.length < MIN_CONSUMED_TO_MARK) return;
    await this.store.markConsumed(this.executionId, ids);
    for (const id of ids) this.#unmarked.delete(id);
  }

  /** Completes messages that were read already. See `read`. */
  complete(messages: readonly Message[], consumed: ReadonlySet<string>): Promise<Message[]> {
    messages.forEach((one) => this.see(one));
    return Promise.all(messages.map(async (one) => (consumed.has(one.id) ? one : this.#whole(one))));
  }

  /** Reads all messages. An output that a message omits is fetched, unless the message is consumed. */
  async read(consumed: ReadonlySet<string>): Promise<Received> {
    const received = await this.#fetch(consumed);
    this.#messageSeq = received.messageSeq;
    return received;
  }

  /**
   * Reads after a hint with a new message count. After any number of hints during a read, one more read follows: the
   * current one may have missed the message of the last hint.
   */
  catchUp(
    messageSeq: number,
    consumed: ReadonlySet<string>,
    send: (received: Received) => void,
    fault: (f: unknown) => void,
  ): void {
    if (messageSeq <= this.#messageSeq) return;
    if (this.#reading !== null) {
      this.#again = true;
      return;
    }
    this.#reading = this.#fetch(consumed)
      .then((read) => {
        // In one tick with `send`: a message that counts as read but is not delivered yet would be lost by a release in
        // between.
        this.#messageSeq = Math.max(this.#messageSeq, read.messageSeq);
        send(read);
      })
      .catch(fault)
      .finally(() => {
        this.#reading = null;
        if (!this.#again) return;
        this.#again = false;
        this.catchUp(Number.POSITIVE_INFINITY, consumed, send, fault);
      });
  }

  async #fetch(consumed: ReadonlySet<string>): Promise<Received> {
    const received = await this.store.messages(this.executionId);
    return { ...received, messages: await this.complete(received.messages, consumed) };
  }

  async #whole(message: Message): Promise<Message> {
    const child = outputExecutionId(message);
    return child === null ? message : withOutput(message, await this.store.load(child));
  }
}
