import type { Json } from '../../../lib/json';
import type { JournalRecord } from '../../record/entry';
import { bySending, CANCEL, type Mail } from '../../record/state';
import type { Appended, Candidate, Claim, Ending, Execution, Posted, Release, Released, RunStore } from '../port';
import { FIRST_FORMAT, RUN_FORMATS } from '../format';
import { type Collections, idRange, isDuplicate } from './collections';
import {
  type BigText,
  type ExecutionDocument,
  executionFromDocument,
  executionToDocument,
  journalId,
  mailFromDocument,
  mailToDocument,
  errandToDocument,
  recordFromDocument,
  recordFromTail,
  recordToDocument,
  tailToDocument,
  waitingToDocument,
} from './documents';
import { candidateOf, dueVerbs, SEEN, type Seen } from './due';
import { insertLane, updateLane } from './lanes';
import { bigReader, getPayloads, putPayload, toBigText } from './payloads';

/** No message takes longer between its two writes; clocks of processes differ by less. A long history is read for it. */
const JUST_MS = 60_000;

/**
 * The runtime's store on MongoDB, or on anything that speaks its wire protocol. Keeps S1 to S5 of the port, and F1 and F2
 * of the formats.
 */
export function mongoRunStore(collections: Collections, formats = RUN_FORMATS): RunStore {
  const { executions, journal, signals, payloads } = collections;
  const starts = insertLane(executions);
  const records = insertLane(journal);
  const read = async (document: ExecutionDocument): Promise<Execution> =>
    executionFromDocument(document, await bigReader(payloads, document));
  const aside = (id: string, value: Json): Promise<BigText> => toBigText(payloads, id, value);
  const changes = updateLane<ExecutionDocument, boolean | Released>(executions);

  async function history(id: string, from = 0): Promise<JournalRecord[]> {
    // The end's record first: where it is, all records before it are there as well when they are looked for.
    const holder = await executions.findOne({ _id: id }, { projection: { tail: 1 } });
    const tail = holder?.tail ? recordFromTail(id, holder.tail) : null;
    const documents = await journal
      .find({ _id: { $gte: journalId(id, from), $lt: `${id};` } })
      .sort({ _id: 1 })
      .toArray();
    const stored = documents.map(recordFromDocument);
    if (tail === null) return stored;
    // What a zombie appended at the end's position or behind came too late to be history.
    const before = stored.filter((record) => record.n < tail.n);
    return tail.n < from ? before : [...before, tail];
  }

  /** Whether a run that has ended did so with this message in its hands. Its history names all but a cancellation. */
  async function hadTaken({ _id, status }: Pick<ExecutionDocument, '_id' | 'status'>, mail: Mail): Promise<boolean> {
    if (mail.name === CANCEL) return status === 'cancelled';
    const entries = (await history(_id)).flatMap(({ json }) => JSON.parse(json) as { mail?: string }[]);
    return entries.some((entry) => entry.mail === mail.id);
  }

  return {
    async insert(execution, tail = null) {
      const { id, trigger, output, response } = execution;
      const big = {
        trigger: await aside(id, trigger),
        output: await aside(id, output),
        response: await aside(id, response),
      };
      const { writes } = formats;
      const format = writes > FIRST_FORMAT ? { format: writes } : {};
      return starts.add({ ...executionToDocument(execution, big, tail), ...format });
    },

    async load(id) {
      const document = await executions.findOne({ _id: id });
      return document === null ? null : read(document);
    },

    async append(record: JournalRecord): Promise<Appended> {
      if ((await records.add(recordToDocument(record))) === 'inserted') return { kind: 'appended' };
      const holder = await journal.findOne(
        { _id: journalId(record.executionId, record.n) },
        { projection: { epoch: 1, host: 1 } },
      );
      if (holder === null) throw new Error(`Journal position ${record.n} of ${record.executionId} is taken by nothing`);
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
        done: true,
        judge: (document) => document !== null && document.epoch === claim.epoch && document.status !== 'running',
      });
      return result === true;
    },

    async release(claim: Claim, { inbox, wakeAt, waiting, closesBy }: Release) {
      const result = await changes.add({
        id: claim.id,
        filter: { status: 'running', owner: claim.host, epoch: claim.epoch, inbox },
        update: {
          $set: {
            owner: null,
            wake_at: new Date(wakeAt),
            waiting: waiting.map(waitingToDocument),
            ...(closesBy !== undefined && { closes_by: new Date(closesBy) }),
          },
        },
        done: 'released',
        judge: (document) => judgeRelease(claim, document),
      });
      return result as Released;
    },

    ...dueVerbs(collections, read, formats),

    async post(executionId, mail, now): Promise<Posted> {
      const document = mailToDocument(executionId, mail);
      const known = await insertOnce(() => signals.insertOne(document));
      // Also for a message that was known: whoever sent it first may have died before this second write.
      const before = await executions.findOneAndUpdate(
        { _id: executionId, status: 'running' },
        {
          $inc: { inbox: 1 },
          $min: { wake_at: new Date(now) },
          ...(mail.name === CANCEL && { $set: { cancelling: true, parked: false } }),
        },
        { projection: { ...SEEN, owner: 1 } },
      );
      if (known) {
        const first = await signals.findOne({ _id: document._id });
        if (first !== null) return { kind: 'known', mail: mailFromDocument(first), owner: before?.owner ?? null };
      }
      if (before !== null) return { kind: 'posted', owner: before.owner, due: dueNow(before, mail, now) };
      const run = await executions.findOne({ _id: executionId }, { projection: { status: 1, ended_at: 1 } });
      // It ended between the two writes, and may have read this message before: then it was no late one.
      const just = run !== null && (run.ended_at?.getTime() ?? 0) > now - JUST_MS;
      if (just && (await hadTaken(run, mail))) return { kind: 'posted', owner: null, due: null };
      await signals.deleteOne({ _id: document._id });
      return { kind: run === null ? 'absent' : 'ended' };
    },

    async findMail(executionId, id) {
      const document = await signals.findOne({ _id: `${executionId}:${id}` });
      return document === null ? null : mailFromDocument(document);
    },

    async openRun(id) {
      // Nobody else can end an owned run, so no record can have come with its end.
      const [records, mail] = await Promise.all([
        journal
          .find({ _id: idRange(id) })
          .sort({ _id: 1 })
          .toArray(),
        signals.find({ _id: idRange(id) }).toArray(),
      ]);
      return { records: records.map(recordFromDocument), mail: mail.map(mailFromDocument).sort(bySending) };
    },

    async mail(executionId): Promise<{ mail: Mail[]; inbox: number }> {
      // In this order: every message that the count covers was stored before it was counted.
      const counted = await executions.findOne({ _id: executionId }, { projection: { inbox: 1 } });
      if (counted === null || counted.inbox === 0) return { mail: [], inbox: 0 };
      const documents = await signals.find({ _id: idRange(executionId) }).toArray();
      return { mail: documents.map(mailFromDocument).sort(bySending), inbox: counted.inbox };
    },

    putPayload: (executionId, hash, json) => putPayload(payloads, executionId, hash, json),
    getPayloads: (executionId, hashes) => getPayloads(payloads, executionId, hashes),
  };
}

/** The run as a message finds it that waits for a host; null when it has one, or stays parked. */
function dueNow(before: Seen & { owner: string | null }, { name }: Mail, now: number): Candidate | null {
  const cancelling = name === CANCEL || before.cancelling === true;
  if (before.owner !== null || (before.parked && !cancelling)) return null;
  const run = candidateOf({ ...before, cancelling });
  return { ...run, since: Math.min(run.since, now) };
}

/** True when the id was there before. */
async function insertOnce(insert: () => Promise<unknown>): Promise<boolean> {
  try {
    await insert();
    return false;
  } catch (fault) {
    if (isDuplicate(fault)) return true;
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
    outbox: ending.outbox.map(errandToDocument),
    tail: tail === null ? null : tailToDocument(tail),
  };
}

function judgeRelease(claim: Claim, document: ExecutionDocument | null): Released {
  if (document === null || document.epoch !== claim.epoch || document.status !== 'running') return 'lost';
  if (document.owner === claim.host) return 'mail';
  return document.owner === null ? 'released' : 'lost';
}
