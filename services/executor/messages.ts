import { AppError } from '../../lib/errors';
import { risingTimeIds } from '../../lib/ids';
import { WriteConflict } from '../../lib/write-conflict';
import { hashJson, type JsonObject } from '../../lib/json';
import type { Message } from '../../runtime/core/state/state';
import { CANCEL } from '../../runtime/core/decide/waits';
import type { Candidate, Execution, PauseRequest } from '../../runtime/core/model';
import type { PostResult } from '../../runtime/ports/run-store';
import type { App } from '../app';
import { approvedBy } from './approvals';
import type { ServiceContext } from '../../mixins/service';
import { hostGroup } from '../../contracts/events';
import type { Records } from './records';

/** Sends durable messages to runs on any host. A message is durable when the call resolves. */
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
   * Sends a signal. Signals with the same name are consumed in the order in which this process sent them. With an id of the
   * sender the call is idempotent, also after the end of the run. @throws AppError execution_ended, not_found
   */
  async signal(executionId: string, name: string, data: JsonObject, by: string | null, id?: string): Promise<void> {
    const posted = await this.#post(executionId, { id: id ?? this.#nextId(this.app.clock.now()), name, data, by });
    if (posted.kind === 'ended') {
      if (id !== undefined && (await this.records.store.findMessage(executionId, id)) !== null) return;
      throw await this.#ended(executionId);
    }
    if (posted.kind === 'absent') throw missing(executionId);
  }

  /**
   * Decides the question of a step, once: its name is the id of the message. A program (`again`) may repeat the same
   * decision, because it may have lost the response.
   * @throws AppError already_decided, execution_ended, not_found
   */
  async decide(executionId: string, name: string, data: JsonObject, by: string | null, again = false): Promise<void> {
    const posted = await this.#post(executionId, { id: name, name, data, by });
    if (posted.kind === 'posted') return;
    if (posted.kind === 'absent') throw missing(executionId);
    const before = posted.kind === 'known' ? posted.message : await this.records.store.findMessage(executionId, name);
    if (again && before !== null && before.by === by && approvedBy(before.data) === approvedBy(data)) return;
    throw posted.kind === 'known' ? decided(posted.message) : await this.#ended(executionId);
  }

  /**
   * Completes a form, once: its name is the id of the message. The same values may be sent again.
   * @throws AppError conflict, execution_ended, not_found
   */
  async answer(executionId: string, name: string, values: JsonObject): Promise<void> {
    const posted = await this.#post(executionId, { id: name, name, data: values, by: null });
    if (posted.kind === 'posted') return;
    if (posted.kind === 'absent') throw missing(executionId);
    const before = posted.kind === 'known' ? posted.message : await this.records.store.findMessage(executionId, name);
    if (before === null) throw await this.#ended(executionId);
    if (hashJson(before.data) !== hashJson(values))
      throw new AppError('conflict', 'This form was sent before; its answers are not changed');
  }

  /** Publishes a decision to the subscribers of the tenant. */
  publishDecision(execution: Execution, address: string, approved: boolean): void {
    if (this.#context !== null) this.records.notices.decided(this.#context, execution, address, approved);
  }

  /** The decision of a question; null while there is none. */
  async decision(executionId: string, name: string): Promise<boolean | null> {
    const found = await this.records.store.findMessage(executionId, name);
    return found === null ? null : approvedBy(found.data);
  }

  /** Cancels a run. Idempotent while the run is running. @throws AppError execution_ended, not_found */
  async cancel(executionId: string, by: string | null): Promise<void> {
    const posted = await this.#post(executionId, { id: CANCEL, name: CANCEL, data: {}, by });
    if (posted.kind === 'absent') throw missing(executionId);
    // The first cancel remains stored when it has ended the run.
    if (posted.kind === 'ended' || (posted.kind === 'known' && (await this.#hasEnded(executionId))))
      throw await this.#ended(executionId);
  }

  /** Requests a pause or its end. @throws WriteConflict when another request came before, or the run takes none */
  async requestPause(execution: Execution, request: PauseRequest): Promise<void> {
    const { id } = execution;
    const posted = await this.records.store.requestPause(id, request, this.app.clock.now());
    if (posted.kind === 'refused') throw new WriteConflict();
    hintMessages(this.#context, id, posted.owner, posted.due);
    if (this.#context !== null) this.records.notices.paused(this.#context, execution, request.kind);
  }

  async #hasEnded(executionId: string): Promise<boolean> {
    return (await this.records.store.load(executionId))?.status !== 'running';
  }

  async #post(executionId: string, message: Omit<Message, 'at'>): Promise<PostResult> {
    const now = this.app.clock.now();
    const stored: Message = { ...message, at: now };
    const posted = await this.records.store.addMessage(executionId, stored, now);
    if (posted.kind === 'posted') hintMessages(this.#context, executionId, posted.owner, posted.due);
    else if (posted.kind === 'known') this.hint(executionId, posted.owner);
    return posted;
  }

  hint(executionId: string, owner: string | null): void {
    hintMessages(this.#context, executionId, owner);
  }

  /** Notifies the hosts that a run may be due. */
  wake(): void {
    this.#context?.emit('executor.wake', {});
  }

  async #ended(executionId: string): Promise<AppError> {
    return hasEnded(executionId, (await this.records.store.load(executionId))?.status ?? 'removed');
  }
}

export const hasEnded = (id: string, status: string): AppError =>
  new AppError('execution_ended', `Execution ${id} has ended (${status}); it takes no messages`);

/** Notifies the host of a run, or else any host, of new messages. Without this, the next poll finds them. */
export function hintMessages(
  context: Hints | null,
  executionId: string,
  owner: string | null,
  due: Candidate | null = null,
): void {
  if (owner === null) context?.emit('executor.wake', due === null ? {} : { run: due });
  else context?.broadcast('executor.mail', { id: executionId }, [hostGroup(nodeOf(owner))]);
}

type Hints = Pick<ServiceContext, 'emit' | 'broadcast'>;

/** The node of a host: the first part of the host id. */
const nodeOf = (hostId: string): string => hostId.slice(0, hostId.lastIndexOf(':'));

const missing = (id: string): AppError => new AppError('not_found', `There is no execution ${id}`);

function decided(stored: Message): AppError {
  const word = approvedBy(stored.data) ? 'approved' : 'rejected';
  const at = new Date(stored.at).toISOString();
  return new AppError('already_decided', `This approval was already ${word} at ${at}; a decision cannot be changed`, {
    body: { decision: { approved: approvedBy(stored.data), decided_by: stored.by, decided_at: at } },
  });
}
