import type { LinkKind, PreparedPlan } from '../../dsl';
import type { JsonObject } from '../../lib/json';
import type { ActorDeps } from '../execution/deps';
import type { GroupStore } from '../ports/group-store';
import type { GatheringStore } from '../ports/gathering-store';
import type { QuotaStore } from '../ports/quota-store';
import type { WindowStore } from '../ports/window-store';
import type { OutboxStore } from '../ports/outbox-store';
import type { Ending, Execution } from '../core/model';
import type { HostStore } from '../ports/host-store';
import type { SlotStore } from '../ports/slot-store';

export interface HostOptions {
  readonly nodeId: string;
  readonly version: string;
  readonly capacity: number;
  readonly leaseMs: number;
  readonly pollMs: number;
  /** This is the only host: the runs of all others are taken over at once. */
  readonly exclusive: boolean;
  readonly newHostId: () => string;
}

/** Dependencies of a host. */
export interface HostDeps extends Omit<ActorDeps, 'mayWrite' | 'onSizeChange' | 'turns' | 'states' | 'quotas'> {
  readonly hosts: HostStore;
  readonly slots: SlotStore;
  /** Maximum number of runs of a tenant in memory on all hosts; null for no limit. */
  readonly limit: (tenantId: string) => Promise<number | null>;
  readonly groups: GroupStore;
  readonly windows: WindowStore;
  readonly quotas: QuotaStore;
  readonly gatherings: GatheringStore;
  readonly outboxes: OutboxStore;
  readonly plan: (execution: Pick<Execution, 'planHash' | 'tenantId'>) => Promise<PreparedPlan>;
  /** The tenant's variables by name. Read only for plans that use them. */
  readonly vars: (tenantId: string) => Promise<JsonObject>;
  readonly stepLink: (executionId: string, stepId: string, kind: LinkKind) => string;
  /** Starts the workflows triggered by the end of a run. Idempotent. */
  readonly publishEnd: (executionId: string) => Promise<void>;
  readonly onEnded: (execution: Execution, ending: Ending) => void;
  /** A message was stored for a run that is not active here; `owner`: its host. */
  readonly onPosted: (executionId: string, owner: string | null) => void;
  /** There is work for other hosts. */
  readonly onReady: () => void;
  readonly onFault: (fault: unknown) => void;
  /** Calls back after other work of the process; defaults to that of Node. */
  readonly afterOthers?: (goOn: () => void) => void;
  /** Minimum number of entries for a cached state (see `StateCache`). */
  readonly minKeptEntries?: number;
  /** Monotonic clock in milliseconds for blocked-thread detection; defaults to that of Node. */
  readonly threadTime?: () => number;
}

/** A new run, without the fields of its claim. */
export type NewExecution = Omit<Execution, 'owner' | 'epoch' | 'wakeAt' | keyof typeof INITIAL_FIELDS>;

/** Initial values of a new run. */
export const INITIAL_FIELDS = {
  claims: 0,
  size: 0,
  signals: 0,
  messageSeq: 0,
  parked: false,
  cancelling: false,
  pause: null,
  cleanupDeadline: null,
  outbox: [],
} as const;

/** The result of a start: begun on this host, stored for any host, or known already. */
export type StartOutcome = 'here' | 'stored' | 'exists';
