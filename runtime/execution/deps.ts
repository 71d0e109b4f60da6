import type { Clock } from '../../lib/clock';
import { errorMessage } from '../../lib/errors';
import type { Json, JsonObject } from '../../lib/json';
import type { Tracer } from '../../lib/tracing';
import type {
  ConnectionResult,
  ConnectionRequest,
  EmitResult,
  EmittedSignal,
  NodeFiles,
  NodeHttp,
  NodeKnowledge,
  NodeCapabilities,
  NodeSkills,
  NodeType,
  StepError,
} from '../../nodes/contract';
import type { FairScheduler } from '../../lib/fair-scheduler';
import type { InputCheck } from './input-checks';
import type { EndStatus } from '../core/entries/entry';
import type { ReusedEntry } from '../core/reuse/reuse';
import type { SecretRedactor } from '../core/secrets/secret-redactor';
import type { Ending, Execution, Parent, Waiting } from '../core/model';
import type { RunStore } from '../ports/run-store';
import type { LogStore } from '../ports/log-store';
import type { OutputStore } from '../ports/output-store';
import type { FlushPolicy } from './journal';
import type { Quotas } from './quotas';
import type { StateCache } from './state-cache';
import type { Meters } from './meters';
import type { StreamChunk } from './output-stream';

/** Why an activation ended. */
export type ExitReason =
  | { kind: 'ended'; ending: Ending }
  | { kind: 'released'; wakeAt: number }
  /** The claim is lost, or the history differs from what this actor has read. */
  | { kind: 'lost' }
  /** The history cannot be read, or a rule failed. It is retried with backoff, and needs an operator. */
  | { kind: 'broken'; fault: unknown }
  /** This host lacks something that another one may have. */
  | { kind: 'yielded'; fault: DependencyUnavailable }
  | { kind: 'stopped' };

/** A run that a step of another one starts. */
export interface ChildStart {
  /** Derived by the parent, so that the run starts once. */
  readonly executionId: string;
  readonly tenantId: string;
  readonly parent: Parent;
  readonly depth: number;
  /** Id or name of the workflow. */
  readonly workflow: string;
  readonly input: JsonObject;
  readonly requestId: string | null;
  /** `traceparent` of the step's span; null without tracing. */
  readonly traceparent: string | null;
}

/** The result of starting a child. `refused`: it has not started, and will not. */
export type ChildStarted = { kind: 'started' } | { kind: 'refused'; error: StepError; retryable: boolean };

/** A rule failed on the history or plan of a run; it fails the same on every host. */
export class RuleFault extends Error {
  constructor(executionId: string, cause: unknown) {
    super(`Execution ${executionId} cannot be decided: ${errorMessage(cause)}`, { cause });
    this.name = 'RuleFault';
  }
}

/** Thrown inside an aborted attempt, whose result is ignored. */
export class Aborted extends Error {}

/** Thrown when this host temporarily lacks something that a step needs before it begins: another host may have it. */
export class DependencyUnavailable extends Error {}

/** HTTP for effects: checks `mayBegin` once more before a request is sent. */
export interface EffectHttp {
  request(
    request: Parameters<NodeHttp['request']>[0] & { readonly mayBegin?: () => boolean },
  ): ReturnType<NodeHttp['request']>;
}

/** Dependencies of actors. */
export interface ActorDeps {
  readonly store: RunStore;
  readonly outputs: OutputStore;
  readonly logs: LogStore;
  readonly clock: Clock;
  readonly random: (bytes: number) => Uint8Array;
  readonly flush: FlushPolicy;
  readonly meters: Meters;
  /** Null without tracing. */
  readonly tracer: Tracer | null;
  /** A node type or custom node of the tenant by name or alias. Synchronous when it is known here. */
  readonly node: (type: string, tenantId: string) => NodeType | undefined | Promise<NodeType | undefined>;
  /** Capabilities of a tenant's steps. */
  readonly capabilities: (tenantId: string) => NodeCapabilities;
  readonly check: InputCheck;
  readonly http: EffectHttp;
  readonly mayWrite: () => boolean;
  readonly turns: FairScheduler;
  readonly states: StateCache;
  /** @throws DependencyUnavailable */
  readonly secrets: (tenantId: string, names: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** The result is ignored once the signal is aborted. @throws DependencyUnavailable, Aborted */
  readonly connection: (
    tenantId: string,
    ref: string,
    wanted: ConnectionRequest,
    signal: AbortSignal,
  ) => Promise<ConnectionResult>;
  readonly quotas: Quotas;
  /** Holds back the steps of a connection until a time; never throws. */
  readonly pauseConnection: (tenantId: string, connection: string, until: number) => void;
  /**
   * The workspace of a run. `assertMay` throws when no effect may begin any more. @throws DependencyUnavailable, and
   * what that throws
   */
  readonly files: (execution: Execution, assertMay: () => void) => NodeFiles;
  /** Skills of a tenant. @throws DependencyUnavailable */
  readonly skills: (tenantId: string) => NodeSkills;
  /**
   * Knowledge bases of a run's tenant. `assertMay` throws when no effect may begin any more. @throws
   * DependencyUnavailable, and what that throws
   */
  readonly knowledge: (execution: Execution, assertMay: () => void) => NodeKnowledge;
  readonly idempotencyKey: (executionId: string, path: string) => string;
  /** The id of the nth run (from 0) that a step starts: the same on all hosts. */
  readonly childId: (executionId: string, path: string, n: number) => string;
  /** Starts a run, or finds it started. Throws when the result is unknown: then it is called again. */
  readonly startChild: (child: ChildStart) => Promise<ChildStarted>;
  /** Sends a signal for a step; `messageId` makes it idempotent. Throws when the result is unknown. */
  readonly emit: (execution: Execution, messageId: string, signal: EmittedSignal) => Promise<EmitResult>;
  /** True when workflows may be triggered by this end of the run, or when that is unknown. Never throws. */
  readonly hasSubscribers: (execution: Execution, status: EndStatus) => Promise<boolean>;
  readonly redactor: (executionId: string) => SecretRedactor;
  readonly log: (
    execution: Execution,
    level: 'debug' | 'info' | 'warn' | 'error',
    message: string,
    data?: Json,
    stepId?: string,
  ) => void;
  /** Sends live output of a run to its subscribers; null without subscribers. */
  readonly subscribers: (execution: Execution) => ((chunk: StreamChunk) => void) | null;
  /** Called when log lines of the run are stored. */
  readonly onLogged: (execution: Execution) => void;
  readonly onDurable: (execution: Execution, position: number) => void;
  /** Called when what a run waits for is stored: it has left memory, or has questions while other steps are at work. */
  readonly onWaits: (execution: Execution, waiting: readonly Waiting[]) => void;
  /** Called when the size of the run in memory changes, in characters. */
  readonly onSizeChange: (change: number) => void;
  /** Entries reused from the earlier run that this one repeats: the same at every call. */
  readonly reusedEntries: (execution: Execution) => Promise<readonly ReusedEntry[]>;
}
