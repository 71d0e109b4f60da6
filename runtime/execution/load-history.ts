import type { PreparedPlan, PreparedStep } from '../../dsl';
import type { NodeType, OnInterrupted } from '../../nodes/contract';
import type { RecoveryPolicy } from '../core/decide/decision-builder';
import type { RunEvent } from '../core/decide/event';
import { decodeEntries } from '../core/entries/codec';
import type { Execution, PauseRequest } from '../core/model';
import type { ReusedEntry } from '../core/reuse/reuse';
import { apply } from '../core/state/fold';
import { emptyState, type Message, type RunState } from '../core/state/state';
import { findStep } from '../core/state/step-at';
import type { Received } from '../ports/run-store';
import { type ActorDeps, RuleFault } from './deps';

/** Entries folded between two checks of the clock. */
const MAX_ENTRIES_PER_SLICE = 100;

/** Reused entries in one decision, which is one record. */
const MAX_REUSED_PER_DECISION = 200;

/** The stored history of a run. */
interface History {
  readonly state: RunState;
  /** Position of the last record. */
  readonly n: number;
  readonly entries: number;
  readonly messages: Message[];
}

/** Reads and folds the history of a run that this host owns, in slices of the main thread's time. @throws RuleFault */
export async function loadHistory(
  { store, turns, states }: Pick<ActorDeps, 'store' | 'turns' | 'states'>,
  { id, tenantId }: Pick<Execution, 'id' | 'tenantId'>,
  measured: (work: () => void) => void,
): Promise<History> {
  const cached = states.take(id) ?? { state: emptyState(), n: 0, entries: 0 };
  const { state } = cached;
  const { records, messages } = await store.openRun(id, cached.n + 1);
  const entries = await decodeEntries(
    records.map((record) => record.json),
    (hashes) => store.getPayloads(id, hashes),
    () => turns.pause(tenantId),
  );
  for (let from = 0; from < entries.length; from += MAX_ENTRIES_PER_SLICE) {
    for (let pause = turns.pause(tenantId); pause !== null; pause = turns.pause(tenantId)) await pause;
    const next = entries.slice(from, from + MAX_ENTRIES_PER_SLICE);
    try {
      measured(() => next.forEach((entry) => apply(state, entry)));
    } catch (fault) {
      throw new RuleFault(id, fault);
    }
  }
  return { state, n: records.at(-1)?.n ?? cached.n, entries: cached.entries + entries.length, messages };
}

/** Entries of an earlier run as events, in parts that fit into records. */
export function reuseEvents(from: string, entries: readonly ReusedEntry[]): RunEvent[] {
  const parts: RunEvent[] = [];
  for (let at = 0; at < entries.length; at += MAX_REUSED_PER_DECISION)
    parts.push({ kind: 'reuse', from, entries: entries.slice(at, at + MAX_REUSED_PER_DECISION) });
  return parts;
}

export const receivedEvent = ({ messages, pause }: Pick<Received, 'messages' | 'pause'>): MessagesEvent => ({
  kind: 'messages',
  messages,
  pause,
});

type MessagesEvent = Extract<RunEvent, { kind: 'messages' }>;

/**
 * The events of a run whose history has just been read, with the messages that were stored then, and the request to pause
 * or resume that was stored when it was claimed. All known messages are applied, in the order in which they were sent,
 * before anything is decided.
 */
export function firstEvents(
  events: readonly RunEvent[],
  stored: readonly Message[],
  claimed: PauseRequest | null,
): RunEvent[] {
  const received = events.filter((event) => event.kind === 'messages');
  const delivered = received.flatMap(({ messages }) => messages);
  const pause = newest([claimed, ...received.map((event) => event.pause ?? null)]);
  const first = events.filter(({ kind }) => kind === 'reuse' || kind === 'refused');
  const others = events.filter((event) => event.kind !== 'messages' && !first.includes(event));
  return [...first, receivedEvent({ messages: [...stored, ...delivered], pause }), ...others];
}

const newest = (requests: readonly (PauseRequest | null)[]): PauseRequest | null =>
  requests.reduce((last, next) => ((next?.rev ?? 0) > (last?.rev ?? 0) ? next : last), null);

/** The recovery policies of node types with attempts in flight when the last host died. */
export async function recoveryPolicyOf(
  plan: PreparedPlan,
  { open, steps }: RunState,
  node: (type: string) => NodeType | undefined | Promise<NodeType | undefined>,
): Promise<RecoveryPolicy> {
  const running = [...open].filter((path) => steps.get(path)?.kind === 'running');
  const types = new Set(running.flatMap((path) => findStep(plan, path)?.def.type ?? []));
  const known = new Map(await Promise.all([...types].map(async (type) => [type, await node(type)] as const)));
  return (step) => onInterruptedOf(known.get(step.def.type), step);
}

/** An attempt that only reads is always repeated. */
function onInterruptedOf(node: NodeType | undefined, { def }: PreparedStep): OnInterrupted {
  if (node === undefined) return 'fail';
  const effect = typeof node.effect === 'function' ? node.effect(def.config) : node.effect;
  return effect === 'read' ? 'retry' : node.onInterrupted;
}
