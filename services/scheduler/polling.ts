import { errorMessage } from '../../lib/errors';
import { derivedId } from '../../lib/ids';
import { isRefusal } from '../../mixins/start-run';
import type { PollItem, Polled } from '../../nodes/pollers/contract';
import type { App } from '../app';
import type { StartSnapshot } from '../../contracts/workflows/views';
import type { Fired, Now } from './firing';
import { countPoll } from './metering';
import type { SlotRecord } from './models';
import { backOffMs } from './rules/back-off';
import { itemHash, type PollState, SeenItems, writePollState } from './rules/poll-state';
import type { Sources } from './sources';
import { startableWorkflow, type Starter, startOnce } from './start-run';
import { historyEntry, type Source } from './store';

/** Runs that one poll starts. When items are left, the source is polled again at once. */
const MAX_STARTS = 100;
/** Time for the starts of one poll. Poll and starts together are shorter than the claim. */
const STARTS_MS = 15_000;
const MAX_ITEM_CHARS = 200;

/** Errors of a single item: the next item is started. Any other error stops the poll, so that no item is lost. */
const OF_THE_ITEM: ReadonlySet<string> = new Set([
  'invalid_input',
  'invalid_request',
  'payload_too_large',
  'start_limited',
]);

/** Dependencies of a poll. */
interface Polling extends Starter {
  readonly app: App;
  readonly sources: Sources;
  /** From 0 to 1. */
  readonly random: () => number;
}

type Fault = Extract<Polled, { kind: 'fault' }>;

/** The result of the starts of a poll. */
interface Started {
  readonly slots: readonly SlotRecord[];
  /** Why a start failed; null when none failed, or time was up. */
  readonly fault: Fault | null;
  readonly all: boolean;
}

/**
 * Polls a source, starts a run for each new item, and returns its next state. The cursor moves when all runs are started,
 * in the same write as their outcomes. Everything before that write may be repeated: run ids are derived from the items.
 */
export async function pollDue(polling: Polling, source: Source, now: Now): Promise<Fired> {
  const { record, state } = source;
  const seen = new SeenItems(state.seen);
  /** A poll that shutdown interrupts does not count as a failure: the next process polls at once. */
  const failing = (state: PollState, fault: Fault): Next =>
    polling.app.stopping.aborted ? { state: state, waitMs: () => 0 } : failed(state, fault, now());
  const workflow = await startableWorkflow(polling, record).catch(faultOf);
  if (workflow === null) return { kind: 'gone' };
  if ('kind' in workflow) return goesOn(polling, source, now(), failing(state, workflow));
  if (await isSuspended(polling, record.tenant_id))
    return goesOn(polling, source, now(), { state, waitMs: (ms) => ms });
  const askedAt = now();
  const polled = await polling.sources.poll(polling.call, source, { seen, now: askedAt, limit: MAX_STARTS });
  countPoll(polling.app.metrics, source.timer.type, polled, now() - askedAt);
  if (polled.kind === 'fault') return goesOn(polling, source, now(), failing(state, polled));

  const fresh = state.cursor === null || polled.existing === true ? [] : unknown(polled.items, seen);
  const started = await startAll(polling, source, { workflow, fresh }, now);
  const begun = new Set(started.slots.map(({ _id }) => _id));
  const left = new Set(fresh.filter((item) => !begun.has(lineOf(source, item))));
  // Items stay known as long as the source returns them.
  for (const item of polled.items) if (!left.has(item)) seen.add(item.id);
  const next: PollState = {
    ...state,
    cursor: started.all ? polled.cursor : state.cursor,
    seen: seen.toString(),
    polled_at: now(),
    ok_at: now(),
    failures: 0,
    trouble: null,
    items: state.items + started.slots.length,
  };
  const { fault, slots } = started;
  if (fault !== null)
    return goesOn(polling, source, now(), failing({ ...next, failures: state.failures }, fault), slots);
  const moved = slots.length > 0 || JSON.stringify(polled.cursor) !== JSON.stringify(state.cursor);
  const atOnce = !started.all || (polled.more && moved);
  return goesOn(polling, source, now(), { state: next, waitMs: () => (atOnce ? 0 : source.timer.every_ms) }, slots);
}

/** A source of a suspended tenant is not read: it goes on at its cursor when the tenant is reopened. */
async function isSuspended({ call }: Polling, tenantId: string): Promise<boolean> {
  return (await call('auth.entitlements', {}, { asServiceOf: tenantId })).suspended;
}

/** The items that were not seen yet, without duplicates. */
function unknown(items: readonly PollItem[], seen: SeenItems): PollItem[] {
  const byId = new Map(items.filter(({ id }) => !seen.has(id)).map((item) => [item.id, item]));
  return [...byId.values()];
}

interface Next {
  readonly state: PollState;
  waitMs(everyMs: number, random: number): number;
}

function failed(state: PollState, { error, retryable, retryAfterMs }: Fault, now: number): Next {
  const failures = state.failures + 1;
  return {
    state: { ...state, polled_at: now, failures, trouble: error },
    waitMs: (everyMs, random) => backOffMs({ failures, retryable, retryAfterMs, everyMs }, random),
  };
}

function goesOn(
  { random }: Polling,
  { record, timer }: Source,
  now: number,
  { state, waitMs }: Next,
  slots: readonly SlotRecord[] = [],
): Fired {
  const at = new Date(now + waitMs(timer.every_ms, random()));
  const set = { next_at: at, wake_at: at, poll: writePollState(state) };
  return { kind: 'advance', advance: { id: record._id, holder: record.holder as string, set, slots } };
}

const lineOf = ({ record }: Source, item: PollItem): string => `${record._id}:${lineKey(record.anchor, item)}`;
const lineKey = (anchor: Date, { id }: PollItem): string => itemHash(`${anchor.getTime()} ${id}`);

/** Starts runs in the order of their items, until the time is up or a start fails. */
async function startAll(
  polling: Polling,
  source: Source,
  { workflow, fresh }: { workflow: StartSnapshot; fresh: readonly PollItem[] },
  now: Now,
): Promise<Started> {
  const { record } = source;
  const foundAt = now();
  const slots: SlotRecord[] = [];
  for (const item of fresh.slice(0, MAX_STARTS)) {
    if (now() - foundAt > STARTS_MS) return { slots, fault: null, all: false };
    const executionId = itemRunId(polling.app.keys.ids, source, item);
    const cause = { type: source.timer.type, trigger: item.trigger, executionId };
    const started = await startOnce(polling, workflow, cause).catch(faultOf);
    const refused = 'kind' in started ? started : null;
    if (refused !== null && !OF_THE_ITEM.has(refused.error.code)) return { slots, fault: refused, all: false };
    slots.push(
      historyEntry(record, lineKey(record.anchor, item), {
        scheduled_for: new Date(foundAt),
        item: item.id.slice(0, MAX_ITEM_CHARS),
        fired_at: new Date(now()),
        execution_id: 'kind' in started ? null : started.id,
        outcome: refused === null ? 'fired' : 'refused',
        lag_ms: now() - foundAt,
        error: refused === null ? null : (refused.error as SlotRecord['error']),
      }),
    );
  }
  return { slots, fault: null, all: slots.length === fresh.length };
}

/** The run id of an item, so that an item starts at most one run. */
const itemRunId = (ids: Buffer, { record, timer }: Source, { id }: PollItem): string =>
  derivedId(ids, 'poll', record.workflow_id, String(timer.index), record.anchor.toISOString(), id);

/** A failed start as a fault of the poll. */
function faultOf(fault: unknown): Fault {
  const final = isRefusal(fault);
  const error = { code: final ? fault.type : 'unavailable', message: errorMessage(fault) };
  return { kind: 'fault', error, retryable: !final, retryAfterMs: null };
}
