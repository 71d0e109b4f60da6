import type { Model } from 'mongoose';
import { createCache } from '../../lib/cache';
import type { Clock } from '../../lib/clock';
import { isDuplicateKey } from '../../lib/duplicate-key';
import { AppError } from '../../lib/errors';
import { NO_LIMITS } from '../../lib/json/limits';
import { parseJsonSliced } from '../../lib/json/parse-sliced';
import { stringifyJsonSliced } from '../../lib/json/stringify-sliced';
import { randomId } from '../../lib/ids';
import type { AuditTarget, Recorded } from '../../mixins/audit';
import { nullOnConflict, WriteConflict } from '../../lib/write-conflict';
import { ofTenant, type TenantScope } from '../../lib/tenant';
import type { ImportedConnector } from '../../nodes/connectors/imported';
import type { ImportedRecord } from './models';

/** Imported connectors of one tenant, and characters of all of them together. */
const MAX_CONNECTORS = 100;
const MAX_DEFINITIONS_CHARS = 8 * 1024 * 1024;
/** How often an import starts over because another one came first. */
const MAX_TRIES = 64;
/** Definitions that are kept parsed. */
const PARSED = 20;

type ParsedConnector = Omit<ImportedConnector, 'revision'>;

/** Imported connectors, all within one tenant. */
export class ImportedStore {
  readonly #parsed = createCache<ImportedConnector>({ max: PARSED });

  constructor(
    private readonly model: Model<ImportedRecord>,
    private readonly clock: Clock,
    /** Called after every change, before it is answered, with the changed step types. */
    private readonly changed: (tenantId: string, types: readonly string[]) => Promise<void>,
  ) {}

  async names(tenantId: string): Promise<string[]> {
    const found = await this.#of(tenantId).find({}, { sort: { name: 1 }, fields: ['name'] });
    return found.map(({ name }) => name);
  }

  /** By name. */
  async list(tenantId: string): Promise<ImportedConnector[]> {
    const connectors: ImportedConnector[] = [];
    for (const name of await this.names(tenantId)) {
      const found = await this.find(tenantId, name);
      if (found !== null) connectors.push(found);
    }
    return connectors;
  }

  /** Null if there is none with that name. */
  async find(tenantId: string, name: string): Promise<ImportedConnector | null> {
    const [head] = await this.#of(tenantId).find({ name }, { limit: 1, fields: ['revision'] });
    if (head === undefined) return null;
    const known = this.#parsed.get(`${head._id}:${head.revision}`);
    if (known !== undefined) return known;
    const record = await this.#of(tenantId).findOne({ name });
    return record === null ? null : this.#read(record);
  }

  /** Replaces the connector of the same name. @throws AppError conflict */
  async put(
    tenantId: string,
    connector: ParsedConnector,
    createdBy: string,
    recorded: Recorded,
  ): Promise<ImportedConnector> {
    const definition = (await stringifyJsonSliced(connector)) ?? '';
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const found = await this.#of(tenantId).findOne({ name: connector.name });
      await this.#assertRoom(tenantId, found, definition.length);
      const saving = this.#save(tenantId, found, { connector, definition, createdBy }, recorded);
      const saved = await nullOnConflict(saving);
      if (saved === null) continue;
      const before = found === null ? [] : typesOf(await this.#read(found));
      const after = await this.#read(saved);
      await this.changed(tenantId, [...new Set([...before, ...typesOf(after)])]);
      return after;
    }
    throw new AppError('conflict', 'Too many imports of this connector at the same time; try again');
  }

  /** @throws AppError not_found */
  async remove(tenantId: string, name: string, recorded: Recorded): Promise<void> {
    const found = await this.#of(tenantId).findOne({ name });
    const missing = (): AppError => new AppError('not_found', `You have imported no connector ${name}`);
    if (found === null) throw missing();
    const { _id, revision } = found;
    await recorded({ action: 'connector.delete', target: targetOf(found), before: { revision } }, async () => {
      if ((await this.#of(tenantId).remove({ _id })) === 0) throw missing();
    });
    await this.changed(tenantId, typesOf(await this.#read(found)));
  }

  /** One write: a new record, or the change of the one that was seen. @throws WriteConflict */
  #save(
    tenantId: string,
    found: ImportedRecord | null,
    given: { connector: ParsedConnector; definition: string; createdBy: string },
    recorded: Recorded,
  ): Promise<ImportedRecord> {
    const { connector, definition, createdBy } = given;
    const now = new Date(this.clock.now());
    const content = { definition, size: definition.length, updated_at: now };
    const after = { revision: (found?.revision ?? 0) + 1, actions: connector.actions.length, base_url: connector.base };
    if (found !== null) {
      const before = { revision: found.revision };
      return recorded({ action: 'connector.import', target: targetOf(found), before, after }, async () => {
        const { _id, revision } = found;
        const made = await this.#of(tenantId).update({ _id, revision }, { $set: content, $inc: { revision: 1 } });
        if (made === null) throw new WriteConflict();
        return made;
      });
    }
    const { name } = connector;
    const record = { _id: randomId(), name, revision: 1, created_by: createdBy, created_at: now, ...content };
    return recorded({ action: 'connector.import', target: targetOf(record), after }, () =>
      this.#of(tenantId)
        .insert(record)
        .catch((fault: unknown) => {
          throw isDuplicateKey(fault) ? new WriteConflict() : fault;
        }),
    );
  }

  /** Imports at the same time may go over the limit together, which does no harm. @throws AppError conflict */
  async #assertRoom(tenantId: string, replaced: ImportedRecord | null, size: number): Promise<void> {
    const all = await this.#of(tenantId).find({}, { fields: ['size'] });
    const others = all.filter(({ _id }) => _id !== replaced?._id);
    const total = others.reduce((sum, record) => sum + record.size, size);
    if (others.length < MAX_CONNECTORS && total <= MAX_DEFINITIONS_CHARS) return;
    const max =
      others.length < MAX_CONNECTORS ? '8 MiB of imported connectors' : `${MAX_CONNECTORS} imported connectors`;
    throw new AppError('conflict', `There are ${max}, which is the most; delete one first`);
  }

  async #read(record: ImportedRecord): Promise<ImportedConnector> {
    const key = `${record._id}:${record.revision}`;
    const known = this.#parsed.get(key);
    if (known !== undefined) return known;
    // Written by the import.
    const parsed = (await parseJsonSliced(record.definition, NO_LIMITS)) as unknown as ParsedConnector;
    const connector = { ...parsed, revision: record.revision };
    this.#parsed.set(key, connector);
    return connector;
  }

  #of(tenantId: string): TenantScope<ImportedRecord> {
    return ofTenant(this.model, tenantId);
  }
}

const typesOf = ({ name, actions }: ParsedConnector): string[] => actions.map((action) => `${name}.${action.name}`);

const targetOf = ({ _id, name }: Pick<ImportedRecord, '_id' | 'name'>): AuditTarget => ({
  type: 'connector',
  id: _id,
  name,
});
