import type { AuthActions } from './auth/contract';
import type { ChannelsActions } from './channels/contract';
import type { ExecutorActions, ExecutorEvents } from './executor/contract';
import type { SecretsActions } from './secrets/contract';
import type { WorkflowsActions } from './workflows/contract';

/** Every action that one service may call on another: its name, what it takes, what it gives. Plain JSON both ways. */
export interface Catalogue extends AuthActions, SecretsActions, WorkflowsActions, ExecutorActions, ChannelsActions {}

/** Every event that services send each other. Delivered at most once: hints, never facts. */
export interface EventCatalogue extends ExecutorEvents {
  /** Cached answers whose keys match one of the patterns are stale on every node. */
  'cache.stale': { patterns: string[] };
}

export type ActionName = keyof Catalogue;
export type EventName = keyof EventCatalogue;
export type ParamsOf<A extends ActionName> = Parameters<Catalogue[A]>[0];
export type ResultOf<A extends ActionName> = ReturnType<Catalogue[A]>;

/** Event group of those on one node who wait for runs to move. */
export const watchGroup = (nodeId: string): string => `watch@${nodeId}`;

/** Event group of the host of executions on one node. */
export const hostGroup = (nodeId: string): string => `executor@${nodeId}`;

/** Calls an action by name, with its own types. `asService` lets the callee see the service acting for the tenant. */
export type Call = <A extends ActionName>(
  action: A,
  params: ParamsOf<A>,
  options?: { timeoutMs?: number; asServiceOf?: string },
) => Promise<ResultOf<A>>;
