import { errorMessage } from '../../lib/errors';
import { derivedId } from '../../lib/ids';
import { isRefusal, startParams } from '../../mixins/admission';
import type { PollItem, Polled } from '../../nodes/pollers/contract';
import type { App } from '../app';
import type { Call } from '../catalogue';
import type { Startable } from '../workflows/contract';
import type { Fired, Now } from './firing';
import { countPoll } from './metering';
import type { SlotRecord } from './models';
import { backOffMs } from './rules/back-off';
import { itemHash, type PollState, SeenItems, writePollState } from './rules/poll-state';
import type { Sources } from './sources';
import { runnableOf, startOnce } from './starting';
import { ledgerLine, type Source } from './store';

/** Most runs that one poll starts; what is left is asked for again at once. */
export const MOST_STARTS = 100;
/** Time for the starts of one poll: with the poll itself it stays within the claim. */
const STARTS_MS = 15_000;
const LONGEST_ITEM = 200;

/** What is wrong with an item alone: the next one may start. All else holds the source up, so that no item is lost. */
const OF_THE_ITEM: ReadonlySet<string> = new Set(['invalid_input', 'invalid_request', 'payload_too_large']);

/** What a poll needs of the process around it. */
export interface Polling {
  readonly app: App;
  readonly call: Call;
  readonly sources: Sources;
  /** From 0 to 1. */
  readonly random: () => number;
}

type Fault = Extract<Polled, { kind: 'fault' }>;

/** What the starts of a poll came to. */
interface Started {
  readonly slots: readonly SlotRecord[];
  /** Why not all could be started; null when nothing was in the way, or time was up. */
  readonly fault: Fault | null;
  readonly all: boolean;
}

/**
 * Asks a source what is new, starts a run for each item, and says how it goes on. Its cursor moves when all have
 * started, by the one write that tells so: what comes before it may be repeated, and finds what it has started.
 */
export async function pollDue(polling: Polling, source: Source, now: Now): Promise<Fired> {
  const { record, state } = source;
  const seen = new SeenItems(state.seen);
  /** What is cut short by the end of this process is nobody's fault: the next one asks at once. */
  const failing = (told: PollState, fault: Fault): Next =>
    polling.app.stopping.aborted ? { state: told, waitMs: () => 0 } : failed(told, fault, now());
  const workflow = await runnableOf(polling.call, record).catch(faultOf);
  if (workflow === null) return { kind: 'gone' };
  if ('kind' in workflow) return goesOn(polling, source, now(), failing(state, workflow));
  const askedAt = now();
  const polled = await polling.sources.poll(polling.call, source, { seen, now: askedAt, limit: MOST_STARTS });
  countPoll(polling.app.metrics, source.timer.type, polled, now() - askedAt);
  if (polled.kind === 'fault') return goesOn(polling, source, now(), failing(state, polled));

  const fresh = state.cursor === null ? [] : unknown(polled.items, seen);
  const started = await startAll(polling, source, { workflow, fresh }, now);
  const begun = new Set(started.slots.map(({ _id }) => _id));
  const left = new Set(fresh.filter((item) => !begun.has(lineOf(source, item))));
  // What is shown again stays known for as long as it is shown.
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

/** Each item that has not started yet, once. */
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

/** Starts runs in the order of their items, as far as time goes, until one cannot be started. */
async function startAll(
  { app, call }: Polling,
  source: Source,
  { workflow, fresh }: { workflow: Startable; fresh: readonly PollItem[] },
  now: Now,
): Promise<Started> {
  const { record } = source;
  const foundAt = now();
  const slots: SlotRecord[] = [];
  for (const item of fresh.slice(0, MOST_STARTS)) {
    if (now() - foundAt > STARTS_MS) return { slots, fault: null, all: false };
    const executionId = itemRunId(app.keys.ids, source, item);
    const cause = { type: source.timer.type, trigger: item.trigger, input: item.trigger, executionId };
    const refused = await startOnce(app, call, record.tenant_id, startParams(workflow, cause, now())).then(
      () => null,
      faultOf,
    );
    if (refused !== null && !OF_THE_ITEM.has(refused.error.code)) return { slots, fault: refused, all: false };
    slots.push(
      ledgerLine(record, lineKey(record.anchor, item), {
        scheduled_for: new Date(foundAt),
        item: item.id.slice(0, LONGEST_ITEM),
        fired_at: new Date(now()),
        execution_id: refused === null ? executionId : null,
        outcome: refused === null ? 'fired' : 'refused',
        lag_ms: now() - foundAt,
        error: refused === null ? null : (refused.error as SlotRecord['error']),
      }),
    );
  }
  return { slots, fault: null, all: slots.length === fresh.length };
}

/** The id of an item's run: whoever starts the item of this source, however often, starts this one. */
export const itemRunId = (ids: Buffer, { record, timer }: Source, { id }: PollItem): string =>
  derivedId(ids, 'poll', record.workflow_id, String(timer.index), record.anchor.toISOString(), id);

/** Why something is not there for now, or will not be. */
function faultOf(fault: unknown): Fault {
  const final = isRefusal(fault);
  const error = { code: final ? fault.type : 'unavailable', message: errorMessage(fault) };
  return { kind: 'fault', error, retryable: !final, retryAfterMs: null };
}
