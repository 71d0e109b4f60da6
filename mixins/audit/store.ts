import { sameText } from '../../lib/crypto';
import { nullOnDuplicate } from '../../lib/duplicate-key';
import { ofTenant } from '../../lib/tenant';
import { type ChainedEvent, eventMac, GENESIS, headMac, type Link, wordsOf } from './event';
import { type AuditModels, placeOf, placesOf, stateText } from './model';

/** The end of a chain. `attested`: the stored head has a valid MAC, so it may be moved. */
export interface Tail extends Link {
  readonly attested: boolean;
}

/** Reads and writes chains. */
export class ChainStore {
  constructor(
    private readonly models: AuditModels,
    private readonly key: Buffer,
  ) {}

  /**
   * The end of the tenant's chain: its newest event, or its stored head when the events before the head are missing.
   * Continuing after the remaining events would hide the gap. An invalid or missing head is never repaired.
   */
  async tail(tenant: string): Promise<Tail> {
    const [newest] = await ofTenant(this.models.events, tenant).find(
      { _id: placesOf(tenant) },
      { sort: { _id: -1 }, limit: 1, fields: ['seq', 'hash'] },
    );
    // Read after the newest event: the head is created before the first event.
    const head = await this.models.heads.findById(tenant).lean().exec();
    if (head === null) return newest === undefined ? this.#begin(tenant) : { ...link(newest), attested: false };
    const attested = sameText(head.mac, headMac(this.key, tenant, head));
    const last = newest === undefined || (attested && head.seq > newest.seq) ? head : newest;
    return { ...link(last), attested };
  }

  /** Inserts events of one tenant, in order. @throws a duplicate key error when a position or an id exists */
  async insert(tenant: string, events: readonly ChainedEvent[]): Promise<void> {
    const records = events.map((event) => ({
      ...event,
      _id: placeOf(tenant, event.seq),
      tenant_id: tenant,
      before: stateText(event.before),
      after: stateText(event.after),
      mac: eventMac(this.key, event.hash),
      words: wordsOf(event),
    }));
    await this.models.events.insertMany(records, { ordered: true, lean: true });
  }

  /** The given ids that are in the tenant's chain. */
  async known(tenant: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const found = await ofTenant(this.models.events, tenant).find({ id: { $in: [...ids] } }, { fields: ['id'] });
    return new Set(found.map((record) => record.id));
  }

  /** The current end of a chain that may have grown after `tail`. */
  async tailAfter(tenant: string, { seq, hash, attested }: Tail): Promise<Tail> {
    const [newest] = await ofTenant(this.models.events, tenant).find(
      { _id: { $gt: placeOf(tenant, seq), $lt: placesOf(tenant).$lt } },
      { sort: { _id: -1 }, limit: 1, fields: ['seq', 'hash'] },
    );
    return { ...(newest === undefined ? { seq, hash } : link(newest)), attested };
  }

  /** Moves heads forward, never back. */
  async moveHeads(heads: ReadonlyMap<string, Link>): Promise<void> {
    await this.models.heads.bulkWrite(
      [...heads].map(([tenant, { seq, hash }]) => ({
        updateOne: {
          filter: { _id: tenant, seq: { $lt: seq } },
          update: { $set: { seq, hash, mac: headMac(this.key, tenant, { seq, hash }) } },
        },
      })),
      { ordered: false },
    );
  }

  /** Creates the head before the first event, so that events without a head prove that the head was deleted. */
  async #begin(tenant: string): Promise<Tail> {
    await nullOnDuplicate(
      this.models.heads.create({ _id: tenant, ...GENESIS, mac: headMac(this.key, tenant, GENESIS) }),
    );
    return { ...GENESIS, attested: true };
  }
}

const link = ({ seq, hash }: Link): Link => ({ seq, hash });
