import type { Outbox as Box } from '../store/kin';
import type { Execution } from '../store/port';
import { type Admission, Groups, type GroupsDeps } from './groups';
import { Outbox, type OutboxDeps } from './outbox';

export interface KinDeps extends Omit<GroupsDeps, 'post'>, Omit<OutboxDeps, 'leave'> {
  readonly store: GroupsDeps['store'] & OutboxDeps['store'];
}

/** What the runs of a host have to do with others: places in groups, and what follows from their ends. */
export class Kin {
  readonly #groups: Groups;
  readonly #outbox: Outbox;

  constructor(deps: KinDeps) {
    this.#groups = new Groups({ ...deps, post: (executionId, mail) => this.#outbox.post(executionId, mail) });
    this.#outbox = new Outbox({ ...deps, leave: (id, group, limit) => this.#groups.leave(id, group, limit) });
  }

  admit(execution: Execution): Promise<Admission> {
    return this.#groups.admit(execution);
  }

  /** Does what is still to be done because of an end. */
  settle(outbox: Box): Promise<void> {
    return this.#outbox.empty(outbox);
  }

  sweep(): Promise<void> {
    return this.#outbox.sweep();
  }
}
