import { UNCONSUMED_MESSAGES } from './indexes';
import { createCache } from '../../lib/cache';
import { isDuplicateKey } from '../../lib/duplicate-key';
import type { Json } from '../../lib/json';
import type { JournalRecord } from '../core/entries/entry';
import { bySentAt, CANCEL, type Message } from '../core/state/state';
import type { Candidate, Claim, Ending, Execution } from '../core/model';
import { eventsOf } from '../core/decide/gathering';
import type { AppendResult, PauseResult, PostResult, Release, ReleaseResult, RunStore } from '../ports/run-store';
import { FIRST_FORMAT, GATHERING_FORMAT, PAUSE_FORMAT, RUN_FORMATS } from '../core/format';
import { type Collections, idRange } from './collections';
import {
  type BigText,
  type ExecutionDocument,
  executionFromDocument,
  executionToDocument,
  journalId,
  messageFromDocument,
  messageToDocument,
  outboxItemToDocument,
  recordFromDocument,
  recordFromTail,
  recordToDocument,
  tailToDocument,
} from './documents';
import { pauseFromDocument, pauseToDocument, waitingToDocument } from './wait-documents';
import { candidateOf, claimQueries, CANDIDATE_FIELDS, type CandidateDocument } from './claim-queries';
import { insertBatchWriter, updateBatchWriter } from './batch-writers';
import { bigReader, getPayloads, payloadWriter, toBigText } from './payloads';

/** Maximum time between the two writes of a message, clock skew included. */
const RECENT_MS = 60_000;

/** A cache of ended runs. */
const MAX_ENDED_CACHED = 10_000;
const ENDED_CACHE_MS = 60_000;

/** Fields that show whether a write of an owner has happened. */
const CLAIM_FIELDS = ['status', 'owner', 'epoch'] as const;
type ClaimDocument = Pick<ExecutionDocument, (typeof CLAIM_FIELDS)[number]>;

/** Messages not marked as consumed: null matches documents without the field, and an index has it as a key. */
const UNCONSUMED = { taken: null } as const;
/** Without the hint the ids of a run are read with all that it has consumed. */
const BY_UNCONSUMED = { hint: UNCONSUMED_MESSAGES } as const;

const charsOf = (text: BigText): number => ('json' in text ? text.json.length : 0);

/**
 * The run store on MongoDB, or on anything that speaks its wire protocol. Implements S1 to S6 of the port, and F1 and
 * F2 of the formats.
 */
export function mongoRunStore(collections: Collections, formats = RUN_FORMATS): RunStore {
  const { executions, journal, signals, payloads } = collections;
  const starts = insertBatchWriter(executions, ({ trigger, tail }) => charsOf(trigger) + (tail?.entries.length ?? 0));
  const records = insertBatchWriter(journal, ({ entries }) => entries.length);
  const read = async (document: ExecutionDocument): Promise<Execution> =>
    executionFromDocument(document, await bigReader(payloads, document));
  const putPayload = payloadWriter(payloads);
  const aside = (id: string, value: Json): Promise<BigText> => toBigText(putPayload, id, value);
  const changes = updateBatchWriter<ExecutionDocument, keyof ClaimDocument, boolean | ReleaseResult>(
    executions,
    CLAIM_FIELDS,
  );
  const ended = createCache<true>({ max: MAX_ENDED_CACHED, ttlMs: ENDED_CACHE_MS, now: () => performance.now() });

  /** The triggers of a batch that has not begun. */
  async function eventsAside({ id, trigger, gathering }: Execution): Promise<Pick<ExecutionDocument, 'events'>> {
    if (gathering?.kind !== 'batch' || gathering.state === 'begun') return {};
    return { events: await Promise.all(eventsOf(trigger).map((event) => aside(id, event))) };
  }

  async function history(id: string, from = 0, limit = 0): Promise<JournalRecord[]> {
    // The tail first: when it is there, all records before it are found by the next query.
    const holder = await executions.findOne({ _id: id }, { projection: { tail: 1 } });
    const tail = holder?.tail ? recordFromTail(id, holder.tail) : null;
    const documents = await journal
      .find({ _id: { $gte: journalId(id, from), $lt: `${id};` } })
      .sort({ _id: 1 })
      .limit(limit)
      .toArray();
    const stored = documents.map(recordFromDocument);
    if (tail === null) return stored;
    // Records that a fenced host appended at or after the end's position are not history.
    const before = stored.filter((record) => record.n < tail.n);
    return tail.n < from ? before : [...before, tail];
  }

  /**
   * True when a run that has just ended had consumed a message that was stored just now. Only recent records can name
   * it; a cancellation shows in the status.
   */
  async function hadConsumed(
    { _id, status, tail }: Pick<ExecutionDocument, '_id' | 'status' | 'tail'>,
    message: Message,
    since: Date,
  ): Promise<boolean> {
    if (message.name === CANCEL) return status === 'cancelled';
    const late = await journal
      .find({ _id: idRange(_id), at: { $gte: since } }, { projection: { entries: 1 } })
      .toArray();
    const texts = [...(tail === null ? [] : [tail]), ...late].map(({ entries }) => entries);
    const named = JSON.stringify(message.id);
    return texts
      .filter((text) => text.includes(named))
      .some((text) => (JSON.parse(text) as { mail?: string }[]).some((entry) => entry.mail === message.id));
  }

  const hasEnded = async (_id: string): Promise<boolean> => {
    const run = await executions.findOne({ _id }, { projection: { status: 1 } });
    return run !== null && run.status !== 'running';
  };

  return {
    async insert(execution, tail = null) {
      const { id, trigger, output, response, gathering } = execution;
      const isStoredAside = gathering?.kind === 'batch' && gathering.state !== 'begun';
      const big = {
        trigger: await aside(id, isStoredAside ? {} : trigger),
        output: await aside(id, output),
        response: await aside(id, response),
      };
      const writes = execution.gathering === undefined ? formats.writes : Math.max(formats.writes, GATHERING_FORMAT);
      const format = writes > FIRST_FORMAT ? { format: writes } : {};
      const events = await eventsAside(execution);
      return starts.add({ ...executionToDocument(execution, big, tail), ...events, ...format });
    },

    async load(id) {
      const document = await executions.findOne({ _id: id });
      return document === null ? null : read(document);
    },

    async append(record: JournalRecord): Promise<AppendResult> {
      if ((await records.add(recordToDocument(record))) === 'inserted') return { kind: 'appended' };
      const holder = await journal.findOne(
        { _id: journalId(record.executionId, record.n) },
        { projection: { epoch: 1, host: 1 } },
      );
      if (holder === null)
        throw new Error(
          `Journal position ${record.n} of ${record.executionId} is occupied, but its record cannot be found`,
        );
      return { kind: 'taken', epoch: holder.epoch, host: holder.host };
    },

    journal: history,

    async end(claim: Claim, ending: Ending, tail: JournalRecord | null) {
      const output = await aside(claim.id, ending.output);
      const response = await aside(claim.id, ending.response);
      const result = await changes.add({
        id: claim.id,
        filter: { status: 'running', owner: claim.host, epoch: claim.epoch },
        update: { $set: endFields(ending, output, response, tail) },
        chars: charsOf(output) + charsOf(response) + (tail?.json.length ?? 0),
        done: true,
        classify: (document) => document !== null && document.epoch === claim.epoch && document.status !== 'running',
      });
      return result === true;
    },

    async release(claim: Claim, { messageSeq, wakeAt, waiting, cleanupDeadline, size, failed = false }: Release) {
      const result = await changes.add({
        id: claim.id,
        filter: { status: 'running', owner: claim.host, epoch: claim.epoch, inbox: messageSeq },
        update: {
          $set: {
            owner: null,
            wake_at: new Date(wakeAt),
            waiting: waiting.map(waitingToDocument),
            ...(cleanupDeadline !== undefined && { closes_by: new Date(cleanupDeadline) }),
            ...(size !== undefined && { size }),
            ...(!failed && { claims: 0 }),
          },
          ...(cleanupDeadline !== undefined && { $unset: { pause: '' } }),
        },
        done: 'released',
        classify: (document) => classifyRelease(claim, document),
      });
      return result as ReleaseResult;
    },

    async showWaits(claim, waiting) {
      const result = await changes.add({
        id: claim.id,
        filter: { status: 'running', owner: claim.host, epoch: claim.epoch },
        update: { $set: { waiting: waiting.map(waitingToDocument) } },
        done: true,
        classify: () => false,
      });
      return result === true;
    },

    ...claimQueries(collections, read, formats),

    async addMessage(executionId, message, now): Promise<PostResult> {
      const document = messageToDocument(executionId, message);
      // Public links may keep sending to an ended run: that costs two reads.
      if (ended.get(executionId) && (await hasEnded(executionId))) {
        const first = await signals.findOne({ _id: document._id });
        return first === null ? { kind: 'ended' } : { kind: 'known', message: messageFromDocument(first), owner: null };
      }
      const known = await insertOnce(() => signals.insertOne(document));
      // Also for a known message: its first sender may have died before this second write.
      const before = await executions.findOneAndUpdate(
        { _id: executionId, status: 'running' },
        {
          $inc: { inbox: 1, ...(!known && isOfUser(message) && { signals: 1 }) },
          $min: { wake_at: new Date(now) },
          ...(message.name === CANCEL && { $set: { cancelling: true, parked: false }, $unset: { pause: '' } }),
        },
        { projection: { ...CANDIDATE_FIELDS, owner: 1 } },
      );
      if (known) {
        const first = await signals.findOne({ _id: document._id });
        if (first !== null) return { kind: 'known', message: messageFromDocument(first), owner: before?.owner ?? null };
      }
      if (before !== null) {
        const cancelling = message.name === CANCEL || before.cancelling === true;
        return { kind: 'posted', owner: before.owner, due: dueNow({ ...before, cancelling }, now) };
      }
      const run = await executions.findOne({ _id: executionId }, { projection: { status: 1, ended_at: 1, tail: 1 } });
      // It ended between the two writes, and may have read this message before its end.
      const since = new Date(now - RECENT_MS);
      const just = run !== null && (run.ended_at ?? since) > since;
      if (just && (await hadConsumed(run, message, since))) return { kind: 'posted', owner: null, due: null };
      await signals.deleteOne({ _id: document._id });
      if (run !== null) ended.set(executionId, true);
      return { kind: run === null ? 'absent' : 'ended' };
    },

    async requestPause(executionId, request, now): Promise<PauseResult> {
      const before = await executions.findOneAndUpdate(
        {
          _id: executionId,
          status: 'running',
          cancelling: { $ne: true },
          closes_by: null,
          'pause.rev': request.rev === 1 ? null : request.rev - 1,
        },
        {
          $set: { pause: pauseToDocument(request) },
          $inc: { inbox: 1 },
          $min: { wake_at: new Date(now) },
          $max: { format: PAUSE_FORMAT },
        },
        { projection: { ...CANDIDATE_FIELDS, owner: 1 } },
      );
      return before === null ? { kind: 'refused' } : { kind: 'posted', owner: before.owner, due: dueNow(before, now) };
    },

    async findMessage(executionId, id) {
      const document = await signals.findOne({ _id: `${executionId}:${id}` });
      return document === null ? null : messageFromDocument(document);
    },

    async openRun(id, from = 0) {
      // Only the owner can end the run, so it has no tail yet.
      const [records, messages] = await Promise.all([
        journal
          .find({ _id: { $gte: journalId(id, from), $lt: `${id};` } })
          .sort({ _id: 1 })
          .toArray(),
        signals.find({ _id: idRange(id), ...UNCONSUMED }, BY_UNCONSUMED).toArray(),
      ]);
      return { records: records.map(recordFromDocument), messages: messages.map(messageFromDocument).sort(bySentAt) };
    },

    async markConsumed(executionId, ids) {
      const _id = { $in: ids.map((id) => `${executionId}:${id}`) };
      await signals.updateMany({ _id }, { $set: { taken: true } });
    },

    async recountSignals(executionId, known) {
      const unconsumed = signals.find(
        { _id: idRange(executionId), ...UNCONSUMED },
        { ...BY_UNCONSUMED, projection: { name: 1 } },
      );
      const count = (await unconsumed.toArray()).filter(isOfUser).length;
      await executions.updateOne({ _id: executionId, signals: known }, { $set: { signals: count } });
      return count;
    },

    async messages(executionId) {
      // In this order: every counted message was stored before it was counted.
      const counted = await executions.findOne({ _id: executionId }, { projection: { inbox: 1, pause: 1 } });
      if (counted === null || counted.inbox === 0) return { messages: [], pause: null, messageSeq: 0 };
      const documents = await signals.find({ _id: idRange(executionId), ...UNCONSUMED }, BY_UNCONSUMED).toArray();
      const messages = documents.map(messageFromDocument).sort(bySentAt);
      return { messages, pause: pauseFromDocument(counted.pause), messageSeq: counted.inbox };
    },

    putPayload,
    getPayloads: (executionId, hashes) => getPayloads(payloads, executionId, hashes),
  };
}

/** The candidate of a run that has just been made due; null when it has an owner, or stays parked. */
function dueNow(before: CandidateDocument & { owner: string | null }, now: number): Candidate | null {
  if (before.owner !== null || (before.parked && before.cancelling !== true)) return null;
  const run = candidateOf(before);
  return { ...run, since: Math.min(run.since, now) };
}

/** True for signals and decisions; names of the service's own messages begin with `$`. */
const isOfUser = ({ name }: Pick<Message, 'name'>): boolean => !name.startsWith('$');

/** True when the id existed. */
async function insertOnce(insert: () => Promise<unknown>): Promise<boolean> {
  try {
    await insert();
    return false;
  } catch (fault) {
    if (isDuplicateKey(fault)) return true;
    throw fault;
  }
}

function endFields(
  ending: Ending,
  output: BigText,
  response: BigText,
  tail: JournalRecord | null,
): Partial<ExecutionDocument> {
  return {
    status: ending.status,
    ended_at: new Date(ending.endedAt),
    duration_ms: ending.endedAt - ending.startedAt,
    output,
    error: ending.error,
    response,
    steps: ending.steps,
    tokens: ending.tokens,
    cost_usd: ending.costUsd,
    waiting: [],
    owner: null,
    wake_at: null,
    parked: false,
    outbox: ending.outbox.map(outboxItemToDocument),
    tail: tail === null ? null : tailToDocument(tail),
  };
}

function classifyRelease(claim: Claim, document: ClaimDocument | null): ReleaseResult {
  if (document === null || document.epoch !== claim.epoch || document.status !== 'running') return 'lost';
  if (document.owner === claim.host) return 'new_message';
  return document.owner === null ? 'released' : 'lost';
}
