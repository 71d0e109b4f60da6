import { unwanted } from '../rules/children';
import { cancellation } from '../rules/waits';
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

  constructor(private readonly deps: KinDeps) {
    this.#groups = new Groups({ ...deps, post: (executionId, mail) => this.#outbox.post(executionId, mail) });
    this.#outbox = new Outbox({ ...deps, leave: (id, group, limit) => this.#groups.leave(id, group, limit) });
  }

  /**
   * Whether a claimed run may go on. A start can be on its way for longer than its sender lives: the end of the parent,
   * which cancels what it waits for, may have found no run yet. So this is looked at once the run is stored.
   */
  async admit(execution: Execution): Promise<Admission> {
    const { id, parent } = execution;
    if (parent?.awaited !== true || (await this.#goesOn(parent.executionId))) return this.#groups.admit(execution);
    await this.#outbox.post(id, cancellation(this.deps.clock.now(), unwanted(parent.executionId)));
    return { kind: 'go' };
  }

  async #goesOn(executionId: string): Promise<boolean> {
    return (await this.deps.store.load(executionId))?.status === 'running';
  }

  /** Does what is still to be done because of an end. */
  settle(outbox: Box): Promise<void> {
    return this.#outbox.empty(outbox);
  }

  /** Does what others have left undone; answers what went wrong. */
  sweep(): Promise<unknown[]> {
    return this.#outbox.sweep();
  }
}
