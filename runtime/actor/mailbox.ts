import type { Mail } from '../record/state';
import { outputLiesIn, withOutput } from '../rules/children';
import type { RunStore } from '../store/port';

/** The messages of one run, as the database has them. Owns: how many were seen. Does not own: what they mean. */
export class Mailbox {
  #inbox: number;
  #reading: Promise<void> | null = null;
  #again = false;

  constructor(
    private readonly store: Pick<RunStore, 'mail' | 'load'>,
    private readonly executionId: string,
    inbox: number,
  ) {
    this.#inbox = inbox;
  }

  /** The count that the messages read so far cover at least. */
  get inbox(): number {
    return this.#inbox;
  }

  /** Messages that were read already, whole. See `read`. */
  complete(mail: readonly Mail[], taken: ReadonlySet<string>): Promise<Mail[]> {
    return Promise.all(mail.map(async (one) => (taken.has(one.id) ? one : this.#whole(one))));
  }

  /** All messages. What a message does not carry is fetched, unless the message was `taken`: nobody looks at it again. */
  async read(taken: ReadonlySet<string>): Promise<Mail[]> {
    const { mail, inbox } = await this.#fetch(taken);
    this.#inbox = inbox;
    return mail;
  }

  /**
   * Reads after a hint that there are `inbox` messages. However many hints come meanwhile, one more read follows them:
   * the one under way may have been answered before the message of the last hint was stored.
   */
  catchUp(inbox: number, taken: ReadonlySet<string>, tell: (mail: Mail[]) => void, fault: (f: unknown) => void): void {
    if (inbox <= this.#inbox) return;
    if (this.#reading !== null) {
      this.#again = true;
      return;
    }
    this.#reading = this.#fetch(taken)
      .then((read) => {
        // In one turn with the telling: what counts as seen and is not known yet would be lost by a release in between.
        this.#inbox = Math.max(this.#inbox, read.inbox);
        tell(read.mail);
      })
      .catch(fault)
      .finally(() => {
        this.#reading = null;
        if (!this.#again) return;
        this.#again = false;
        this.catchUp(Number.POSITIVE_INFINITY, taken, tell, fault);
      });
  }

  async #fetch(taken: ReadonlySet<string>): Promise<{ mail: Mail[]; inbox: number }> {
    const { mail, inbox } = await this.store.mail(this.executionId);
    return { mail: await this.complete(mail, taken), inbox };
  }

  async #whole(mail: Mail): Promise<Mail> {
    const child = outputLiesIn(mail);
    return child === null ? mail : withOutput(mail, await this.store.load(child));
  }
}
