import type { Model } from 'mongoose';
import type { Clock } from '../../../lib/clock';
import { isDuplicateKey } from '../../../lib/duplicate-key';
import { AppError } from '../../../lib/errors';
import { isUuid, randomId } from '../../../lib/ids';
import { type TenantScope, ofTenant } from '../../../mixins/tenant';
import type { CustomNode, CustomNodeDefinition } from '../../../nodes/custom';
import type { CustomNodeRecord } from './model';

/** Custom nodes of one tenant: all of them are at hand whenever a document is checked. */
const MOST_CUSTOM_NODES = 200;
/** How often a change starts over because another one came first. */
const MAX_TRIES = 64;

/** Reads and changes of custom nodes, all within one tenant. */
export class CustomNodeStore {
  constructor(
    private readonly model: Model<CustomNodeRecord>,
    private readonly clock: Clock,
    /** Told after every change, before it is answered. */
    private readonly changed: (tenantId: string, type: string) => void,
  ) {}

  /** By type; all of them without a page. */
  list(tenantId: string, page: { limit?: number; skip?: number } = {}): Promise<CustomNodeRecord[]> {
    return this.#of(tenantId).find({}, { ...page, sort: { type: 1 } });
  }

  /** By type; null when there is none. */
  find(tenantId: string, type: string): Promise<CustomNodeRecord | null> {
    return this.#of(tenantId).findOne({ type });
  }

  /** By type or id. @throws AppError not_found */
  async get(tenantId: string, key: string): Promise<CustomNodeRecord> {
    const record = await this.#of(tenantId).findOne(byKey(key));
    if (record === null) throw notFound(key);
    return record;
  }

  /** @throws AppError conflict when the type is taken, or there are too many */
  async create(tenantId: string, definition: CustomNodeDefinition, createdBy: string): Promise<CustomNodeRecord> {
    const { type } = definition;
    // Creates at the same time may go over the limit together, which does no harm.
    if ((await this.#of(tenantId).count({})) >= MOST_CUSTOM_NODES)
      throw new AppError(
        'conflict',
        `There are ${MOST_CUSTOM_NODES} custom nodes, which is the most; delete one first`,
      );
    const now = new Date(this.clock.now());
    const record = {
      _id: randomId(),
      type,
      definition: JSON.stringify(definition),
      version: 1,
      created_by: createdBy,
      created_at: now,
      updated_at: now,
    };
    const stored = await this.#of(tenantId)
      .insert(record)
      .catch((error: unknown) => {
        if (isDuplicateKey(error)) throw new AppError('conflict', `There is a custom node ${type} already`);
        throw error;
      });
    this.changed(tenantId, type);
    return stored;
  }

  /**
   * Changes a definition by what `decide` makes of it as it stands; changes at the same time are put in order.
   * @throws AppError not_found, conflict
   */
  async change(
    tenantId: string,
    key: string,
    decide: (found: CustomNodeDefinition) => CustomNodeDefinition,
  ): Promise<CustomNodeRecord> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const { _id, version, type, definition } = await this.get(tenantId, key);
      const after = JSON.stringify(decide(JSON.parse(definition) as CustomNodeDefinition));
      const saved = await this.#of(tenantId).update(
        { _id, version },
        { $set: { definition: after, updated_at: new Date(this.clock.now()) }, $inc: { version: 1 } },
      );
      if (saved === null) continue;
      this.changed(tenantId, type);
      return saved;
    }
    throw new AppError('conflict', 'Too many changes of this custom node at the same time; try again');
  }

  /** @throws AppError not_found */
  async remove(tenantId: string, { _id, type }: Pick<CustomNodeRecord, '_id' | 'type'>): Promise<void> {
    if ((await this.#of(tenantId).remove({ _id })) === 0) throw notFound(type);
    this.changed(tenantId, type);
  }

  #of(tenantId: string): TenantScope<CustomNodeRecord> {
    return ofTenant(this.model, tenantId);
  }
}

const byKey = (key: string): { _id: string } | { type: string } => (isUuid(key) ? { _id: key } : { type: key });

const notFound = (key: string): AppError => new AppError('not_found', `There is no custom node ${key}`);

/** The definition of a record, with its version. */
export const toCustomNode = ({ definition, version }: CustomNodeRecord): CustomNode => ({
  // It is what `readDefinition` has made.
  ...(JSON.parse(definition) as CustomNodeDefinition),
  version,
});
