/**
 * Sends what ended runs have to tell others. Owns: that it is sent. Does not own: what it is; the end has that.
 *
 *  X1  What an end has to tell is in the run's document until it is stored where it belongs: a crash in between makes
 *      a sweep of any host send it again, which changes nothing for who has it already.
 *  X2  A run that has ended, or is not there, needs no message.
 */
import type { Clock } from '../../lib/clock';
import type { Mail } from '../record/state';
import type { OutboxStore, Sender } from '../store/kin';
import type { OutMail, RunStore } from '../store/port';

/** A host sends at once; who has not sent after this time has stopped. */
const LATE_MS = 5_000;
/** How many runs one sweep sends for. */
const SWEPT = 50;

export interface OutboxDeps {
  readonly store: Pick<RunStore, 'post'>;
  readonly outboxes: OutboxStore;
  readonly clock: Clock;
  /** Hands over what is stored; a hint. `owner`: the host of the run. */
  readonly tell: (executionId: string, mail: Mail, owner: string | null) => void;
}

export class Outbox {
  constructor(private readonly deps: OutboxDeps) {}

  async send({ id, outbox }: Sender): Promise<void> {
    if (outbox.length === 0) return;
    for (const message of outbox) await this.post(message);
    await this.deps.outboxes.sent(id);
  }

  async post({ to, mail }: OutMail): Promise<void> {
    const posted = await this.deps.store.post(to, mail, this.deps.clock.now());
    if (posted.kind === 'posted' || posted.kind === 'known') this.deps.tell(to, mail, posted.owner);
  }

  /** Sends for runs whose host stopped before it had. */
  async sweep(): Promise<void> {
    const senders = await this.deps.outboxes.senders(this.deps.clock.now() - LATE_MS, SWEPT);
    for (const sender of senders) await this.send(sender);
  }
}
