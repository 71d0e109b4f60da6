import { AppError } from '../../lib/errors';
import { sameText } from '../../lib/crypto';
import { eventMac, GENESIS, hashOf, headMac, type Link, wordsOf } from '../../mixins/audit/event';
import {
  type AuditModels,
  type AuditRecord,
  eventOf,
  type HeadRecord,
  placeOf,
  placesOf,
} from '../../mixins/audit/model';
import { ofTenant } from '../../lib/tenant';
import { TimeSlice } from '../../lib/time-slices';
import type { AuditFault, AuditVerdict, FaultReason } from '../../contracts/audit';

/** Events per verification: the caller continues with `next_seq`. */
const MAX_EVENTS_PER_CHECK = 20_000;

const MESSAGES: Readonly<Record<FaultReason, string>> = {
  missing: 'The event with this seq is missing',
  changed: 'The event was changed: its contents do not match its hash',
  forged: 'The event was not written by this service: its MAC is missing or wrong',
  misplaced: 'The record is stored at the position of another seq',
  unlinked: 'The event does not follow the one before it',
  head_missing: 'The record of the end of the log is missing, so events may be missing at its end',
  head_changed: 'The record of the end of the log was changed, so events may be missing at its end',
  anchor_differs: 'The event with this seq is not the one of the anchor',
};

interface ChainSource {
  readonly models: AuditModels;
  /** The MAC key of the writer. */
  readonly key: Buffer;
  readonly tenant: string;
}

/**
 * Verifies a chain from a sequence number on, in batches, up to a limit. It checks the links between events, the MAC
 * of each, which detects a chain that was computed again, and the stored head, which detects a missing end.
 */
export async function verify(source: ChainSource, fromSeq: number, anchor: Link | null): Promise<AuditVerdict> {
  // Read before the events, because events after the head are valid.
  const head = await source.models.heads.findById(source.tenant).lean().exec();
  const anchorMismatch = anchor === null ? null : await anchorFault(source, anchor);
  const walk = new ChainWalk(source, fromSeq);
  const fault = (await walk.run()) ?? (walk.complete ? endFault(source, head, walk, fromSeq) : null) ?? anchorMismatch;
  return {
    valid: fault === null,
    complete: walk.complete,
    events: walk.events,
    head: walk.last,
    next_seq: fault === null && !walk.complete ? walk.last.seq + 1 : null,
    ...(fault === null ? {} : { first_fault: fault }),
  };
}

/** Reads a chain in order and checks each event. */
class ChainWalk {
  events = 0;
  complete = false;
  /** The last valid event. */
  last: Link;
  /** Null when the predecessor of the first event is unknown. */
  #prev: Link | null;

  constructor(
    private readonly source: ChainSource,
    from: number,
  ) {
    // Starts with the predecessor, to check the link between the two.
    this.#prev = from <= 2 ? GENESIS : null;
    this.last = from <= 2 ? GENESIS : { seq: from - 2, hash: '' };
  }

  /** Continues until a fault, the limit, or the end. */
  async run(): Promise<AuditFault | null> {
    const { models, tenant } = this.source;
    const slice = new TimeSlice(tenant);
    const records = ofTenant(models.events, tenant).each(
      { _id: { ...placesOf(tenant), $gte: placeOf(tenant, this.last.seq + 1) } },
      { sort: { _id: 1 }, limit: MAX_EVENTS_PER_CHECK },
    );
    for await (const record of records) {
      if (slice.due) await slice.pause();
      const fault = this.#step(record);
      if (fault !== null) return fault;
    }
    this.complete = this.events < MAX_EVENTS_PER_CHECK;
    return null;
  }

  #step(record: AuditRecord): AuditFault | null {
    const seq = this.last.seq + 1;
    const reason = faultOf(this.source, record, seq, this.#prev);
    if (reason !== null) return faultAt(seq, reason);
    this.last = { seq, hash: record.hash };
    this.#prev = this.last;
    this.events += 1;
    return null;
  }
}

/** The fault of a record at a position; null when it is valid. */
function faultOf(
  { key, tenant }: ChainSource,
  record: AuditRecord,
  seq: number,
  prev: Link | null,
): FaultReason | null {
  const place = placeOf(tenant, seq);
  if (record._id !== place) return record._id > place && isPlace(tenant, record._id) ? 'missing' : 'misplaced';
  if (record.seq !== seq) return 'misplaced';
  try {
    const event = eventOf(record);
    if (hashOf(tenant, event) !== record.hash) return 'changed';
    if (JSON.stringify(record.words) !== JSON.stringify(wordsOf(event))) return 'changed';
  } catch {
    // A foreign record may not even have the fields of an event.
    return 'changed';
  }
  if (typeof record.mac !== 'string' || !sameText(record.mac, eventMac(key, record.hash))) return 'forged';
  return prev !== null && record.prev_hash !== prev.hash ? 'unlinked' : null;
}

const isPlace = (tenant: string, id: string): boolean => /^\d{16}$/.test(id.slice(tenant.length + 1));

function endFault(
  { key, tenant }: ChainSource,
  head: HeadRecord | null,
  { last, events }: ChainWalk,
  fromSeq: number,
): AuditFault | null {
  if (fromSeq > (head?.seq ?? 0) + 1 && events === 0)
    throw new AppError('invalid_request', `The log ends before event ${fromSeq}`);
  if (head === null) return last.seq === 0 ? null : faultAt(last.seq, 'head_missing');
  if (typeof head.mac !== 'string' || !sameText(head.mac, headMac(key, tenant, head)))
    return faultAt(last.seq, 'head_changed');
  return head.seq > last.seq ? faultAt(last.seq + 1, 'missing') : null;
}

async function anchorFault({ models, tenant }: ChainSource, { seq, hash }: Link): Promise<AuditFault | null> {
  const record = await ofTenant(models.events, tenant).findOne({ _id: placeOf(tenant, seq) });
  if (record === null) return faultAt(seq, 'missing');
  return record.hash === hash ? null : faultAt(seq, 'anchor_differs');
}

const faultAt = (seq: number, reason: FaultReason): AuditFault => ({ seq, reason, message: MESSAGES[reason] });

const ANCHOR = /^(\d{1,15}):([\da-f]{64})$/;

/** Parses an anchor such as `120:9f86d0…`. @throws AppError invalid_request */
export function parseAnchor(text: string): Link {
  const [, seq, hash] = ANCHOR.exec(text) ?? [];
  if (seq !== undefined && hash !== undefined && Number(seq) > 0) return { seq: Number(seq), hash };
  const message = "The 'anchor' must be <seq>:<hash> of an earlier head";
  throw new AppError('invalid_request', message, { details: [{ path: 'anchor', message }] });
}
