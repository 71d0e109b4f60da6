import type { Mail } from '../record/state';
import type { GroupStore, OutboxStore } from '../store/kin';
import type { Ending, Execution } from '../store/port';
import { type Admission, Groups, type GroupsDeps } from './groups';
import { Outbox, type OutboxDeps } from './outbox';

export interface KinDeps extends Omit<GroupsDeps, 'post'>, Omit<OutboxDeps, 'tell'> {
  readonly store: GroupsDeps['store'] & OutboxDeps['store'];
  readonly groups: GroupStore;
  readonly outboxes: OutboxStore;
  /** Hands a stored message over; a hint. `owner`: the host of the run. */
  readonly tell: (executionId: string, mail: Mail, owner: string | null) => void;
  /** Runs may have become due. */
  readonly poke: () => void;
}

/** What the runs of a host have to do with others: places in groups, and messages at their ends. */
export class Kin {
  readonly #groups: Groups;
  readonly #outbox: Outbox;

  constructor(private readonly deps: KinDeps) {
    this.#outbox = new Outbox(deps);
    this.#groups = new Groups({ ...deps, post: (message) => this.#outbox.post(message) });
  }

  admit(execution: Execution): Promise<Admission> {
    return this.#groups.admit(execution);
  }

  /** The end of a run is stored. */
  async ended(execution: Execution, { outbox }: Ending): Promise<void> {
    await this.#outbox.send({ id: execution.id, outbox });
    if (await this.#groups.leave(execution)) this.deps.poke();
  }

  sweep(): Promise<void> {
    return this.#outbox.sweep();
  }
}
