import { randomBytes } from 'node:crypto';
import type { Model } from 'mongoose';
import { type Cache, createCache } from '../../lib/cache';
import type { Clock } from '../../lib/clock';
import { sha256 } from '../../lib/crypto';
import { AppError, errorMessage } from '../../lib/errors';
import { randomId } from '../../lib/ids';
import { ReadThrough } from '../../lib/read-through';
import type { Recorded } from '../../mixins/audit';
import { CACHE_MAX_AGE_MS } from '../../mixins/invalidation';
import { ofTenant } from '../../lib/tenant';
import type { WorkflowKeyRecord } from './models';
import { type Page } from '../../lib/page';

const PREFIX = 'evw_';
/** `evw_` and four characters: enough to tell keys apart in a list. */
const SHOWN_CHARACTERS = 8;
const USE_WRITE_INTERVAL_MS = 60_000;
const CACHED = 10_000;

/**
 * Keys of `/run`: `evw_` and 256 random bits, SHA-256 at rest. A key is found by its hash, so what a comparison's time
 * could tell is about the hash alone, which a caller cannot choose.
 */
export class WorkflowKeys {
  readonly #checks: ReadThrough<string | null>;
  readonly #used: Cache<true>;

  constructor(
    private readonly model: Model<WorkflowKeyRecord>,
    private readonly clock: Clock,
    private readonly warn: (message: string) => void,
  ) {
    const now = () => clock.now();
    this.#checks = new ReadThrough({ max: CACHED, ttlMs: CACHE_MAX_AGE_MS, now });
    this.#used = createCache({ max: CACHED, ttlMs: USE_WRITE_INTERVAL_MS, now });
  }

  /** Makes a key; its value is nowhere afterwards. */
  async create(
    tenantId: string,
    workflowId: string,
    name: string,
    recorded: Recorded,
  ): Promise<{ key: string; record: WorkflowKeyRecord }> {
    const key = `${PREFIX}${randomBytes(32).toString('base64url')}`;
    const fresh = {
      _id: randomId(),
      workflow_id: workflowId,
      name,
      prefix: key.slice(0, SHOWN_CHARACTERS),
      hash: sha256(key),
      created_at: new Date(this.clock.now()),
      last_used_at: null,
    };
    const change = { action: 'workflow_key.create', target: targetOf(fresh), after: { workflow_id: workflowId } };
    return { key, record: await recorded(change, () => ofTenant(this.model, tenantId).insert(fresh)) };
  }

  /** Oldest first. */
  list(tenantId: string, workflowId: string, page: Page): Promise<WorkflowKeyRecord[]> {
    const options = { sort: { created_at: 1, _id: 1 } as const, ...page };
    return ofTenant(this.model, tenantId).find({ workflow_id: workflowId }, options);
  }

  /** Ends a key. Answers the cache key that is stale by it. @throws AppError not_found */
  async revoke(tenantId: string, workflowId: string, keyId: string, recorded: Recorded): Promise<string> {
    const keys = ofTenant(this.model, tenantId);
    const record = await keys.findOne({ _id: keyId, workflow_id: workflowId });
    if (record === null) throw new AppError('not_found', `This workflow has no key ${keyId}`);
    const change = { action: 'workflow_key.revoke', target: targetOf(record), before: { workflow_id: workflowId } };
    await recorded(change, () => keys.remove({ _id: keyId }));
    const cacheKey = `${workflowId}:${record.hash}`;
    this.forget(cacheKey);
    return cacheKey;
  }

  async removeAll(tenantId: string, workflowId: string): Promise<void> {
    await ofTenant(this.model, tenantId).remove({ workflow_id: workflowId });
  }

  /** Whether the text is a live key of this workflow. One database read a second and key at most. */
  async check(tenantId: string, workflowId: string, key: string): Promise<boolean> {
    const hash = sha256(key);
    const found = await this.#checks.get(`${workflowId}:${hash}`, async () => {
      const record = await ofTenant(this.model, tenantId).findOne({ workflow_id: workflowId, hash });
      return record?._id ?? null;
    });
    if (found !== null) this.#noteUse(tenantId, found);
    return found !== null;
  }

  forget(cacheKey: string): void {
    this.#checks.delete(cacheKey);
  }

  /** Not awaited by the request, and at most one write a minute and key: the time is a help to people, no more. */
  #noteUse(tenantId: string, id: string): void {
    if (this.#used.get(id) !== undefined) return;
    this.#used.set(id, true);
    ofTenant(this.model, tenantId)
      .update({ _id: id }, { $set: { last_used_at: new Date(this.clock.now()) } })
      .catch((error: unknown) => this.warn(`The last use of key ${id} was not written: ${errorMessage(error)}`));
  }
}

const targetOf = ({ _id, name }: Pick<WorkflowKeyRecord, '_id' | 'name'>) => ({ type: 'workflow_key', id: _id, name });

export const WORKFLOW_KEY_NOTE = 'Keep this key: it is shown only now. Callers of /run send it as a bearer token.';
