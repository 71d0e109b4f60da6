import { sameText } from '../../lib/crypto';
import { isDuplicateKey } from '../../lib/duplicate-key';
import { ofTenant } from '../tenant';
import { type ChainedEvent, eventMac, GENESIS, headMac, type Link, wordsOf } from './event';
import { type AuditModels, placeOf, placesOf, stateText } from './model';

/** Where a chain goes on. `attested`: its stored head is sound, so that it may be moved on. */
export interface Tail extends Link {
  readonly attested: boolean;
}

/** Reads and writes of chains, in the words of the writer. */
export class ChainStore {
  constructor(
    private readonly models: AuditModels,
    private readonly key: Buffer,
  ) {}

  /**
   * Where the tenant's chain goes on: after its newest event, or after its stored head where events are missing. To go on
   * after what is left would close the gap that tells of them. A head that is broken, or gone, is never made good.
   */
  async tail(tenant: string): Promise<Tail> {
    const [newest] = await ofTenant(this.models.events, tenant).find(
      { _id: placesOf(tenant) },
      { sort: { _id: -1 }, limit: 1, fields: ['seq', 'hash'] },
    );
    // After the newest event: whoever has written the first one has made the head before.
    const head = await this.models.heads.findById(tenant).lean().exec();
    if (head === null) return newest === undefined ? this.#begin(tenant) : { ...link(newest), attested: false };
    const attested = sameText(head.mac, headMac(this.key, tenant, head));
    const last = newest === undefined || (attested && head.seq > newest.seq) ? head : newest;
    return { ...link(last), attested };
  }

  /** Inserts events of one tenant, in order. @throws a duplicate key when one of the places, or ids, is taken */
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

  /** Those of the ids that are in the tenant's chain. */
  async known(tenant: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const found = await ofTenant(this.models.events, tenant).find({ id: { $in: [...ids] } }, { fields: ['id'] });
    return new Set(found.map((record) => record.id));
  }

  /** Where the chain goes on that has gone on after a tail; that tail where it has not. */
  async beyond(tenant: string, { seq, hash, attested }: Tail): Promise<Tail> {
    const [newest] = await ofTenant(this.models.events, tenant).find(
      { _id: { $gt: placeOf(tenant, seq), $lt: placesOf(tenant).$lt } },
      { sort: { _id: -1 }, limit: 1, fields: ['seq', 'hash'] },
    );
    return { ...(newest === undefined ? { seq, hash } : link(newest)), attested };
  }

  /** Moves heads on; one that is further already stays. */
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

  /** The head is there before the first event is, so that events without one have lost it. */
  async #begin(tenant: string): Promise<Tail> {
    await this.models.heads
      .create({ _id: tenant, ...GENESIS, mac: headMac(this.key, tenant, GENESIS) })
      .catch((error: unknown) => {
        if (!isDuplicateKey(error)) throw error;
      });
    return { ...GENESIS, attested: true };
  }
}

const link = ({ seq, hash }: Link): Link => ({ seq, hash });
