import type { PreparedPlan } from '../../dsl';
import type { JsonObject } from '../../lib/json';
import type { ActorDeps } from '../actor/deps';
import type { GroupStore, OutboxStore } from '../store/kin';
import type { Ending, Execution, HostStore, SlotStore } from '../store/port';

export interface HostOptions {
  readonly nodeId: string;
  readonly version: string;
  readonly capacity: number;
  readonly leaseMs: number;
  readonly pollMs: number;
  /** No other host can be alive: the runs of all others are taken over at once. */
  readonly exclusive: boolean;
  readonly newHostId: () => string;
}

/** What a process lends to its host. */
export interface HostDeps extends Omit<ActorDeps, 'mayWrite' | 'weigh' | 'breath'> {
  readonly hosts: HostStore;
  readonly slots: SlotStore;
  /** How many runs of a tenant may be in memory at a time, on all hosts; null: any number. */
  readonly limit: (tenantId: string) => Promise<number | null>;
  readonly groups: GroupStore;
  readonly outboxes: OutboxStore;
  readonly plan: (execution: Pick<Execution, 'planHash' | 'tenantId'>) => Promise<PreparedPlan>;
  /** The tenant's constants, by name. Asked only for runs of plans that use them. */
  readonly vars: (tenantId: string) => Promise<JsonObject>;
  readonly approvalLink: (executionId: string, stepId: string, decision: 'approve' | 'reject') => string;
  /** Starts whatever begins by the end of a run; telling it again changes nothing. */
  readonly announce: (executionId: string) => Promise<void>;
  readonly onEnded: (execution: Execution, ending: Ending) => void;
  /** There is mail for a run that is not alive here; `owner`: the host that has it. */
  readonly onPosted: (executionId: string, owner: string | null) => void;
  /** There is work that this host leaves to others: a hint for one of them. */
  readonly onReady: () => void;
  readonly onFault: (fault: unknown) => void;
  /** Calls back when the rest of the process has had its turn; by default that of Node. */
  readonly afterOthers?: (goOn: () => void) => void;
}

/** A run to begin, without what belongs to the claim. */
export type NewExecution = Omit<Execution, 'owner' | 'epoch' | 'wakeAt' | keyof typeof untold>;

/** What a run has that nobody has told anything yet. */
export const untold = { inbox: 0, parked: false, cancelling: false, closesBy: null, outbox: [] } as const;

/** What became of a start: on this host, stored for any host, or known already. */
export type Began = 'here' | 'stored' | 'exists';
