import { AppError } from '../../lib/errors';
import { risingTimeIds } from '../../lib/ids';
import type { JsonObject } from '../../lib/json';
import type { Mail } from '../../runtime/record/state';
import { CANCEL } from '../../runtime/rules/waits';
import type { Candidate, Posted } from '../../runtime/store/port';
import type { App } from '../app';
import { approvedBy } from './approvals';
import type { ServiceContext } from '../../mixins/service';
import { hostGroup } from '../catalogue';
import type { Records } from './records';

/** Sends durable messages to runs, wherever they are; when this answers, the message cannot be lost. */
export class Messages {
  readonly #nextId = risingTimeIds();
  #context: ServiceContext | null = null;

  constructor(
    private readonly app: App,
    private readonly records: Records,
  ) {}

  open(context: ServiceContext): void {
    this.#context = context;
  }

  /**
   * Signals of one name are taken in the order in which this process sent them. With an id of the sender's, one that has
   * come before is no fault, nor is it when the run has ended since. @throws AppError execution_ended, not_found
   */
  async signal(executionId: string, name: string, data: JsonObject, by: string | null, id?: string): Promise<void> {
    const posted = await this.#post(executionId, { id: id ?? this.#nextId(this.app.clock.now()), name, data, by });
    if (posted.kind === 'ended') {
      if (id !== undefined && (await this.records.store.findMail(executionId, id)) !== null) return;
      throw await this.#ended(executionId);
    }
    if (posted.kind === 'absent') throw missing(executionId);
  }

  /**
   * Decides what a step asks under that name, once: the name is the message's id. A program (`again`) may say the same
   * again, as it may not have heard the answer.
   * @throws AppError already_decided, execution_ended, not_found
   */
  async decide(executionId: string, name: string, data: JsonObject, by: string | null, again = false): Promise<void> {
    const posted = await this.#post(executionId, { id: name, name, data, by });
    if (posted.kind === 'posted') return;
    if (posted.kind === 'absent') throw missing(executionId);
    const before = posted.kind === 'known' ? posted.mail : await this.records.store.findMail(executionId, name);
    if (again && before !== null && before.by === by && approvedBy(before.data) === approvedBy(data)) return;
    throw posted.kind === 'known' ? decided(posted.mail) : await this.#ended(executionId);
  }

  /** How the step's question of that name was decided; null while it was not. */
  async decision(executionId: string, name: string): Promise<boolean | null> {
    const found = await this.records.store.findMail(executionId, name);
    return found === null ? null : approvedBy(found.data);
  }

  /** Idempotent while the run goes on. @throws AppError execution_ended, not_found */
  async cancel(executionId: string, by: string | null): Promise<void> {
    const posted = await this.#post(executionId, { id: CANCEL, name: CANCEL, data: {}, by });
    if (posted.kind === 'absent') throw missing(executionId);
    // The first cancel stays on record when the run has ended by it.
    if (posted.kind === 'ended' || (posted.kind === 'known' && (await this.#hasEnded(executionId))))
      throw await this.#ended(executionId);
  }

  async #hasEnded(executionId: string): Promise<boolean> {
    return (await this.records.store.load(executionId))?.status !== 'running';
  }

  async #post(executionId: string, message: Omit<Mail, 'at'>): Promise<Posted> {
    const now = this.app.clock.now();
    const mail: Mail = { ...message, at: now };
    const posted = await this.records.store.post(executionId, mail, now);
    if (posted.kind === 'posted') hintMail(this.#context, executionId, posted.owner, posted.due);
    else if (posted.kind === 'known') this.hint(executionId, posted.owner);
    return posted;
  }

  hint(executionId: string, owner: string | null): void {
    hintMail(this.#context, executionId, owner);
  }

  /** A run may be due. */
  wake(): void {
    this.#context?.emit('executor.wake', {});
  }

  async #ended(executionId: string): Promise<AppError> {
    const execution = await this.records.store.load(executionId);
    return new AppError(
      'execution_ended',
      `Execution ${executionId} has ended (${execution?.status ?? 'removed'}); nothing can be sent to it`,
    );
  }
}

/** Tells the host of a run, or else any one, that there is mail. It would find it, but later. */
export function hintMail(
  context: Hints | null,
  executionId: string,
  owner: string | null,
  due: Candidate | null = null,
): void {
  if (owner === null) context?.emit('executor.wake', due === null ? {} : { run: due });
  else context?.broadcast('executor.mail', { id: executionId }, [hostGroup(nodeOf(owner))]);
}

type Hints = Pick<ServiceContext, 'emit' | 'broadcast'>;

/** The node of a host, which is the first part of its id. */
const nodeOf = (hostId: string): string => hostId.slice(0, hostId.lastIndexOf(':'));

const missing = (id: string): AppError => new AppError('not_found', `There is no execution ${id}`);

function decided(mail: Mail): AppError {
  const word = approvedBy(mail.data) ? 'approved' : 'rejected';
  const at = new Date(mail.at).toISOString();
  return new AppError('already_decided', `This was ${word} before, at ${at}; a decision is made once`, {
    body: { decision: { approved: approvedBy(mail.data), decided_by: mail.by, decided_at: at } },
  });
}
