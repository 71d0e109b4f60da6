import type { Model } from 'mongoose';
import type { Clock } from '../../../lib/clock';
import { isDuplicateKey } from '../../../lib/duplicate-key';
import { AppError } from '../../../lib/errors';
import { isUuid, randomId } from '../../../lib/ids';
import type { Page } from '../../../lib/page';
import type { AuditTarget, Recorded } from '../../../mixins/audit';
import { nullOnConflict, WriteConflict } from '../../../lib/write-conflict';
import { type TenantScope, ofTenant } from '../../../lib/tenant';
import type { CustomNode, CustomNodeDefinition } from '../../../nodes/custom';
import type { CustomNodeRecord } from './model';

/** Custom nodes of one tenant: all of them are at hand whenever a document is checked. */
const MAX_CUSTOM_NODES = 200;
/** How often a change starts over because another one came first. */
const MAX_TRIES = 64;

/** Reads and changes of custom nodes, all within one tenant. */
export class CustomNodeStore {
  constructor(
    private readonly model: Model<CustomNodeRecord>,
    private readonly clock: Clock,
    /** Called after every change, before it is answered. */
    private readonly changed: (tenantId: string, type: string) => Promise<void>,
  ) {}

  /** By type; all of them without a page. */
  each(tenantId: string, page: Partial<Page> = {}): AsyncIterable<CustomNodeRecord> {
    return this.#of(tenantId).each({}, { ...page, sort: { type: 1 } });
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
  async create(
    tenantId: string,
    definition: CustomNodeDefinition,
    createdBy: string,
    recorded: Recorded,
  ): Promise<CustomNodeRecord> {
    const { type } = definition;
    // Creates at the same time may go over the limit together, which does no harm.
    if ((await this.#of(tenantId).count({})) >= MAX_CUSTOM_NODES)
      throw new AppError('conflict', `There are ${MAX_CUSTOM_NODES} custom nodes, which is the most; delete one first`);
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
    const taken = (): AppError => new AppError('conflict', `There is a custom node ${type} already`);
    if ((await this.find(tenantId, type)) !== null) throw taken();
    const { label, kind } = definition;
    const change = { action: 'custom_node.create', target: targetOf(record), after: { label, kind, version: 1 } };
    const stored = await recorded(change, () =>
      this.#of(tenantId)
        .insert(record)
        .catch((error: unknown) => {
          throw isDuplicateKey(error) ? taken() : error;
        }),
    );
    await this.changed(tenantId, type);
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
    recorded: Recorded,
  ): Promise<CustomNodeRecord> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const record = await this.get(tenantId, key);
      const { _id, version, type } = record;
      const before = JSON.parse(record.definition) as CustomNodeDefinition;
      const after = decide(before);
      const change = {
        action: 'custom_node.update',
        target: targetOf(record),
        before: { version },
        after: { version: version + 1, changed: membersChanged(before, after) },
      };
      const saving = recorded(change, async () => {
        const made = await this.#of(tenantId).update(
          { _id, version },
          {
            $set: { definition: JSON.stringify(after), updated_at: new Date(this.clock.now()) },
            $inc: { version: 1 },
          },
        );
        if (made === null) throw new WriteConflict();
        return made;
      });
      const saved = await nullOnConflict(saving);
      if (saved === null) continue;
      await this.changed(tenantId, type);
      return saved;
    }
    throw new AppError('conflict', 'Too many changes of this custom node at the same time; try again');
  }

  /** Removes dependent records first, so that a removal that failed halfway can be repeated. @throws AppError not_found */
  async remove(
    tenantId: string,
    { _id, type, version }: Pick<CustomNodeRecord, '_id' | 'type' | 'version'>,
    purge: () => Promise<void>,
    recorded: Recorded,
  ): Promise<void> {
    const change = { action: 'custom_node.delete', target: targetOf({ _id, type }), before: { version } };
    await recorded(change, async () => {
      await purge();
      if ((await this.#of(tenantId).remove({ _id })) === 0) throw notFound(type);
    });
    await this.changed(tenantId, type);
  }

  #of(tenantId: string): TenantScope<CustomNodeRecord> {
    return ofTenant(this.model, tenantId);
  }
}

const targetOf = ({ _id, type }: Pick<CustomNodeRecord, '_id' | 'type'>): AuditTarget => ({
  type: 'custom_node',
  id: _id,
  name: type,
});

/** Names alone: requests may have credentials in them. */
function membersChanged(before: CustomNodeDefinition, after: CustomNodeDefinition): string[] {
  const was = new Map<string, unknown>(Object.entries(before));
  const is = new Map<string, unknown>(Object.entries(after));
  return [...new Set([...was.keys(), ...is.keys()])].filter(
    (name) => JSON.stringify(was.get(name)) !== JSON.stringify(is.get(name)),
  );
}

const byKey = (key: string): { _id: string } | { type: string } => (isUuid(key) ? { _id: key } : { type: key });

const notFound = (key: string): AppError => new AppError('not_found', `There is no custom node ${key}`);

/** The definition of a record, with its version. */
export const toCustomNode = ({ definition, version }: CustomNodeRecord): CustomNode => ({
  // It is what `readDefinition` has made.
  ...(JSON.parse(definition) as CustomNodeDefinition),
  version,
});
