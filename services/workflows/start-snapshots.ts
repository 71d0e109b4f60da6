import DataLoader from 'dataloader';
import type { Model } from 'mongoose';
import type { Clock } from '../../lib/clock';
import { isUuid } from '../../lib/ids';
import { isObject } from '../../lib/json';
import { SharedCache } from '../../lib/redis/shared-cache';
import type { SharedState } from '../../lib/redis/shared-state';
import type { StartSnapshot } from '../../contracts/workflows/views';
import type { WorkflowRecord } from './models';
import { STARTABLE_FIELDS, toStartable } from './view';

/** Bounds how long others start an old version when Redis did not hear of a change. */
const SHARED_TTL_MS = 10_000;
const MAX_SHARED_CHARS = 32 * 1024;
/** Of one reading: the built-in store looks up at most 400 keys at a time. */
const MAX_BATCH = 200;

/** What a start needs to know of a workflow, as processes share it by Redis. Each process that starts runs has a cache before this (see `StartRun`). */
export class StartSnapshots {
  readonly #shared: SharedCache<StartSnapshot>;
  /** One query for the misses of one turn of the event loop: schedulers request many workflows at once. */
  readonly #records: DataLoader<string, StartableRecord | null>;

  constructor(model: Model<WorkflowRecord>, clock: Clock, state: SharedState | null) {
    this.#records = new DataLoader((ids) => readRecords(model, ids), {
      cache: false,
      maxBatchSize: MAX_BATCH,
      batchScheduleFn: (read) => setImmediate(read),
    });
    this.#shared = new SharedCache({
      state,
      name: 'startable',
      ttlMs: SHARED_TTL_MS,
      longest: MAX_SHARED_CHARS,
      now: () => clock.now(),
      parse: (value, id) => (isStartable(value) && value.id === id ? value : null),
    });
  }

  /** Null for an unknown or deleted id. The id itself is the permission here, so no tenant is asked for. */
  get(id: string): Promise<StartSnapshot | null> {
    if (!isUuid(id)) return Promise.resolve(null);
    return this.#shared.get(id, () => this.#read(id));
  }

  /** Comes before the caches of processes are invalidated: what they read anew must not be the old answer. */
  changed(id: string): Promise<void> {
    return this.#shared.forget(id);
  }

  async #read(id: string): Promise<StartSnapshot | null> {
    const record = await this.#records.load(id);
    return record === null ? null : toStartable(record);
  }
}

type StartableRecord = Parameters<typeof toStartable>[0];

async function readRecords(model: Model<WorkflowRecord>, ids: readonly string[]): Promise<(StartableRecord | null)[]> {
  const found = await model
    .find({ _id: { $in: ids }, deleted_at: null })
    .select([...STARTABLE_FIELDS])
    .lean()
    .exec();
  const byId = new Map(found.map((record) => [record._id, record]));
  return ids.map((id) => byId.get(id) ?? null);
}

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === 'string';
const texts: Check = (value) => Array.isArray(value) && value.every(text);
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);

/** By every field, so that a new one cannot be forgotten: another version of this program may have written it. */
const SHAPE: { readonly [F in keyof StartSnapshot]-?: Check } = {
  id: text,
  tenant_id: text,
  name: text,
  env: text,
  status: text,
  enabled: (value) => typeof value === 'boolean',
  triggers: texts,
  plan_hash: text,
  secrets: texts,
  webhook_key_hash: orNull(text),
  raw_body: (value) => typeof value === 'boolean',
  signed: (value) => typeof value === 'boolean',
  dedupes: (value) => typeof value === 'boolean',
};

const isStartable = (value: unknown): value is StartSnapshot =>
  isObject(value) &&
  Object.entries(SHAPE).every(([field, check]) => Object.hasOwn(value, field) && check(value[field]));
