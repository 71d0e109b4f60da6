import { isDuplicateKey } from '../../lib/duplicate-key';
import type { Json } from '../../lib/json';
import { type Gathering, waitOfGathering } from '../core/decide/gathering';
import type { Execution } from '../core/model';
import type { GatheringStore, ReplacedMembers } from '../ports/gathering-store';
import type { Collections } from './collections';
import type { BigText, ExecutionDocument } from './documents';
import { gatheringFromDocument, gatheringToDocument } from './gathering-documents';
import { payloadWriter, toBigText } from './payloads';
import { concurrencyToDocument, labelsToDocument, throttleToDocument } from './start-members';
import { waitingToDocument } from './wait-documents';

const FOUND = { status: 1, cancelling: 1, closes_by: 1, gathering: 1 } as const;

/** Slots of debounces and batches, the runs of starts, and what starts change in the documents of runs. */
export function mongoGatheringStore({
  executions,
  payloads,
  gatherings,
  startMarks,
}: Pick<Collections, 'executions' | 'payloads' | 'gatherings' | 'startMarks'>): GatheringStore {
  const putPayload = payloadWriter(payloads);
  const aside = (id: string, value: Json): Promise<BigText> => toBigText(putPayload, id, value);

  return {
    async current(slot) {
      return (await gatherings.findOne({ _id: slot }))?.run ?? null;
    },

    async advance(slot, before, next, until) {
      if (before === null)
        return inserted(() => gatherings.insertOne({ _id: slot, run: next, until: new Date(until) }));
      const update = { $set: { run: next, until: new Date(until) } };
      return (await gatherings.updateOne({ _id: slot, run: before }, update)).matchedCount === 1;
    },

    async mark(startId, { run, digest }, until) {
      const own = { run, digest };
      if (await inserted(() => startMarks.insertOne({ _id: startId, ...own, until: new Date(until) }))) return own;
      const found = await startMarks.findOne({ _id: startId });
      // It has just expired.
      if (found === null) throw new Error(`The mark of start ${startId} has just been removed`);
      return { run: found.run, digest: found.digest };
    },

    async move(startId, before, next) {
      await startMarks.updateOne({ _id: startId, run: before }, { $set: { run: next } });
    },

    async find(executionId) {
      const found = await executions.findOne({ _id: executionId }, { projection: FOUND });
      if (found === null) return null;
      const { status, cancelling, closes_by: closesBy, gathering } = found;
      return {
        gathering: gathering === undefined ? null : gatheringFromDocument(gathering),
        isEnding: status !== 'running' || cancelling === true || Boolean(closesBy),
      };
    },

    async add(executionId, after, start) {
      const { events, members, removed } = await changesOf(aside, executionId, start);
      const open = {
        _id: executionId,
        status: 'running',
        cancelling: { $ne: true },
        'gathering.state': 'open',
        'gathering.count': after.count - 1,
      } as const;
      const set = { gathering: gatheringToDocument(after), ...members };
      const push = events === null ? {} : { $push: { events } };
      const unset = Object.keys(removed).length === 0 ? {} : { $unset: removed };
      const wakeAt = new Date(after.beginsAt);
      const waiting = [waitingToDocument(waitOfGathering(after))];
      const unowned = await executions.updateOne(
        { ...open, owner: null, parked: { $ne: true } },
        { $set: { ...set, wake_at: wakeAt, waiting }, ...push, ...unset },
      );
      if (unowned.matchedCount === 1) return true;
      // Counted like a message: its host must not release it until the former time.
      const owned = await executions.updateOne(
        { ...open, $or: [{ owner: { $ne: null } }, { parked: true }] },
        { $set: set, ...push, ...unset, $inc: { inbox: 1 } },
      );
      return owned.matchedCount === 1;
    },

    async seal(executionId, beginsAt) {
      const at = new Date(beginsAt);
      const open = { _id: executionId, 'gathering.state': 'open' } as const;
      const { matchedCount } = await executions.updateOne(
        { ...open, 'gathering.begins_at': { $gt: at } },
        {
          $set: { 'gathering.state': 'sealed', 'gathering.begins_at': at },
          $min: { wake_at: at },
          $inc: { inbox: 1 },
        },
      );
      if (matchedCount === 0) await executions.updateOne(open, { $set: { 'gathering.state': 'sealed' } });
    },

    async begin({ id, host, epoch }, run) {
      const { gathering } = run;
      const isBatch = gathering.kind === 'batch';
      const trigger = isBatch ? { trigger: await aside(id, run.trigger) } : {};
      const { matchedCount } = await executions.updateOne(
        {
          _id: id,
          status: 'running',
          owner: host,
          epoch,
          'gathering.state': { $ne: 'begun' },
          'gathering.count': gathering.count,
        },
        {
          $set: { ...trigger, ...begunMembers(run), gathering: gatheringToDocument(gathering) },
          ...(isBatch ? { $unset: { events: '' } } : {}),
        },
      );
      return matchedCount === 1;
    },
  };
}

interface Changes {
  readonly events: BigText | null;
  readonly members: Partial<ExecutionDocument>;
  /** Members of the start before that this one does not have. */
  readonly removed: { readonly labels?: ''; readonly warnings?: '' };
}

/** What the start of a run adds to, and sets in, its document. */
async function changesOf(
  aside: (id: string, value: Json) => Promise<BigText>,
  id: string,
  start: Parameters<GatheringStore['add']>[2],
): Promise<Changes> {
  if ('event' in start) return { events: await aside(id, start.event), members: {}, removed: {} };
  const { labels, warnings, trigger } = start.members;
  return {
    events: null,
    members: replacedMembers(start.members, await aside(id, trigger)),
    removed: { ...(labels === undefined ? { labels: '' } : {}), ...(warnings === undefined ? { warnings: '' } : {}) },
  };
}

const replacedMembers = (
  { inputKey, triggerType, planHash, workflowName, env, requestId, labels, warnings }: ReplacedMembers,
  trigger: BigText,
): Partial<ExecutionDocument> => ({
  trigger,
  input_key: inputKey,
  trigger_type: triggerType,
  plan_hash: planHash,
  workflow_name: workflowName,
  env,
  request_id: requestId,
  ...(labels === undefined ? {} : { labels: labelsToDocument(labels) }),
  ...(warnings === undefined ? {} : { warnings: warnings.map((warning) => ({ ...warning })) }),
});

const begunMembers = ({
  concurrency,
  throttle,
  rank,
  startedAt,
  deadlineAt,
}: Execution & { readonly gathering: Gathering }): Partial<ExecutionDocument> => ({
  ...(concurrency === null ? {} : { concurrency: concurrencyToDocument(concurrency) }),
  ...(throttle === undefined ? {} : { throttle: throttleToDocument(throttle) }),
  rank: new Date(rank ?? startedAt),
  deadline_at: deadlineAt === null ? null : new Date(deadlineAt),
});

/** False when there was a document of that id. */
async function inserted(insert: () => Promise<unknown>): Promise<boolean> {
  try {
    await insert();
    return true;
  } catch (fault) {
    if (isDuplicateKey(fault)) return false;
    throw fault;
  }
}
