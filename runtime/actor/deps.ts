import type { Clock } from '../../lib/clock';
import type { Json, JsonObject } from '../../lib/json';
import type { Tracer } from '../../lib/tracing';
import type {
  Connected,
  ConnectionWanted,
  Emitted,
  EmittedSignal,
  NodeFiles,
  NodeHttp,
  NodeKnowledge,
  NodeMeans,
  NodeSkills,
  NodeType,
  StepError,
} from '../../nodes/contract';
import type { InputCheck } from '../host/registry';
import type { EndStatus } from '../record/entry';
import type { Taken } from '../rules/inherit';
import type { Veil } from '../rules/veil';
import type { Ending, Execution, Parent, RunStore } from '../store/port';
import type { OutputStore } from '../store/output-store';
import type { Breath } from './breath';
import type { FlushPolicy } from './journal';
import type { Meters } from './meters';
import type { Said } from './speech';

/** How an actor's stay on this host ended. */
export type Verdict =
  | { kind: 'ended'; ending: Ending }
  | { kind: 'released'; wakeAt: number }
  /** Another owner has it, or the history was not what this actor had read. */
  | { kind: 'lost' }
  /** The history cannot be read, or a rule failed: somebody must look at it, and it is tried again without hurry. */
  | { kind: 'broken'; fault: unknown }
  /** This host lacks something that another one may have. */
  | { kind: 'aside'; fault: StepAside }
  | { kind: 'stopped' };

/** A run that a step of another one starts. */
export interface ChildStart {
  /** Chosen by the parent, so that the run starts once. */
  readonly executionId: string;
  readonly tenantId: string;
  readonly parent: Parent;
  readonly depth: number;
  /** Id or name of the workflow. */
  readonly workflow: string;
  readonly input: JsonObject;
  readonly requestId: string | null;
  /** The span of the step that starts it, as a `traceparent`; null without one. */
  readonly traceparent: string | null;
}

/** What became of the start of a child. `refused`: it has not happened, and surely will not. */
export type ChildStarted = { kind: 'started' } | { kind: 'refused'; error: StepError; retryable: boolean };

/** Thrown inside an attempt that was aborted; nobody waits for its outcome. */
export class Aborted extends Error {}

/** Thrown where this host lacks, for now, what a step needs before it can begin: another host may have it. */
export class StepAside extends Error {}

/** The way out, which asks once more before it sends whether it still may. */
export interface EffectHttp {
  request(
    request: Parameters<NodeHttp['request']>[0] & { readonly mayBegin?: () => boolean },
  ): ReturnType<NodeHttp['request']>;
}

/** What a host lends to its actors. */
export interface ActorDeps {
  readonly store: RunStore;
  readonly outputs: OutputStore;
  readonly clock: Clock;
  readonly random: (bytes: number) => Uint8Array;
  readonly flush: FlushPolicy;
  readonly meters: Meters;
  /** Null where no traces are wanted. */
  readonly tracer: Tracer | null;
  /** A node type, or custom node of the tenant, by name or alias. At once where nobody has to be asked. */
  readonly node: (type: string, tenantId: string) => NodeType | undefined | Promise<NodeType | undefined>;
  /** What steps of a tenant are lent. */
  readonly means: (tenantId: string) => NodeMeans;
  readonly check: InputCheck;
  readonly http: EffectHttp;
  readonly mayWrite: () => boolean;
  readonly breath: Breath;
  /** @throws StepAside */
  readonly secrets: (tenantId: string, names: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Nobody waits for the answer once it is aborted. @throws StepAside, Aborted */
  readonly connection: (
    tenantId: string,
    ref: string,
    wanted: ConnectionWanted,
    signal: AbortSignal,
  ) => Promise<Connected>;
  /** The workspace of a run. `assertMay` throws where nothing may be begun any more. @throws StepAside, and what that throws */
  readonly files: (execution: Execution, assertMay: () => void) => NodeFiles;
  /** Skills of a tenant. @throws StepAside */
  readonly skills: (tenantId: string) => NodeSkills;
  /** Knowledge bases of a run's tenant. `assertMay` throws where nothing may be begun any more. @throws StepAside, and what that throws */
  readonly knowledge: (execution: Execution, assertMay: () => void) => NodeKnowledge;
  readonly idempotencyKey: (executionId: string, path: string) => string;
  /** The id of the nth run (from 0) that a step starts: the same on all hosts. */
  readonly childId: (executionId: string, path: string, n: number) => string;
  /** Starts a run, or finds that it was started. Throws when it may have happened or not: then it is asked again. */
  readonly startChild: (child: ChildStart) => Promise<ChildStarted>;
  /** Sends a signal for a step, once: `messageId` says which it is. Throws where nobody knows whether it has happened. */
  readonly emit: (execution: Execution, messageId: string, signal: EmittedSignal) => Promise<Emitted>;
  /** Whether workflows may begin by this end of the run; true where nobody knows. Never throws. */
  readonly heard: (execution: Execution, status: EndStatus) => Promise<boolean>;
  readonly veil: (executionId: string) => Veil;
  readonly log: (
    execution: Execution,
    level: 'debug' | 'info' | 'warn' | 'error',
    message: string,
    data?: Json,
    stepId?: string,
  ) => void;
  /** Takes what a run says as it comes; null while nobody listens to it. */
  readonly audience: (execution: Execution) => ((said: Said) => void) | null;
  readonly onDurable: (executionId: string, position: number) => void;
  /** Told when the run holds more or less in memory, in characters. */
  readonly weigh: (change: number) => void;
  /** What counts of the earlier run that this one repeats: the same whenever it is asked. */
  readonly inherited: (execution: Execution) => Promise<readonly Taken[]>;
}
