import type { Model } from 'mongoose';
import type { Clock } from '../../lib/clock';
import { Gathered } from '../../lib/gathered';
import { isUuid } from '../../lib/ids';
import { isObject } from '../../lib/json';
import { ReadThrough } from '../../lib/read-through';
import { SharedCache } from '../../mixins/redis/shared-cache';
import type { SharedState } from '../../mixins/redis/shared-state';
import type { Startable } from './contract';
import type { WorkflowRecord } from './models';
import { STARTABLE_FIELDS, toStartable } from './view';

/** The tenant's limit of runs at a time; null for none. */
export type ConcurrentLimit = (tenantId: string) => Promise<number | null>;

const TTL_MS = 1_000;
const CACHED = 20_000;
/** Bounds how long others start an old version when Redis did not hear of a change, or a tenant's plan has changed. */
const SHARED_TTL_MS = 10_000;
const LONGEST_SHARED = 32 * 1024;
/** Of one reading: the built-in store looks up at most 400 keys at a time. */
const MOST_READ = 200;

/**
 * What a start must know of a workflow, in memory and shared: every webhook asks for it. A change is seen at once on
 * the host that made it, and within a second elsewhere even when the hint about it was lost.
 */
export class Startables {
  readonly #known: ReadThrough<Startable | null>;
  readonly #shared: SharedCache<Startable>;
  /** Schedulers ask for very many that nobody has asked for before. */
  readonly #records: Gathered<StartableRecord>;

  constructor(
    model: Model<WorkflowRecord>,
    clock: Clock,
    private readonly concurrentLimit: ConcurrentLimit,
    state: SharedState | null,
  ) {
    const now = (): number => clock.now();
    this.#known = new ReadThrough({ max: CACHED, ttlMs: TTL_MS, now });
    this.#records = new Gathered((ids) => readRecords(model, ids), MOST_READ);
    this.#shared = new SharedCache({
      state,
      name: 'startable',
      ttlMs: SHARED_TTL_MS,
      longest: LONGEST_SHARED,
      now,
      parse: (value, id) => (isStartable(value) && value.id === id ? value : null),
    });
  }

  /** Null for an unknown or deleted id. The id itself is the permission here, so no tenant is asked for. */
  get(id: string): Promise<Startable | null> {
    if (!isUuid(id)) return Promise.resolve(null);
    return this.#known.get(id, () => this.#shared.get(id, () => this.#read(id)));
  }

  /** Comes before others are told to forget: what they read anew must not be the old answer. */
  async changed(id: string): Promise<void> {
    await this.#shared.forget(id);
    this.forget(id);
  }

  /** Drops what this process knows. */
  forget(id: string): void {
    this.#known.delete(id);
  }

  async #read(id: string): Promise<Startable | null> {
    const record = await this.#records.get(id);
    if (record === undefined) return null;
    return toStartable(record, await this.concurrentLimit(record.tenant_id));
  }
}

type StartableRecord = Parameters<typeof toStartable>[0];

async function readRecords(
  model: Model<WorkflowRecord>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, StartableRecord>> {
  const found = await model
    .find({ _id: { $in: ids }, deleted_at: null })
    .select([...STARTABLE_FIELDS])
    .lean()
    .exec();
  return new Map(found.map((record) => [record._id, record]));
}

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === 'string';
const texts: Check = (value) => Array.isArray(value) && value.every(text);
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);

/** By every field, so that a new one cannot be forgotten: another version of this program may have written it. */
const SHAPE: { readonly [F in keyof Startable]-?: Check } = {
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
  concurrent_limit: orNull((value) => typeof value === 'number'),
};

const isStartable = (value: unknown): value is Startable =>
  isObject(value) &&
  Object.entries(SHAPE).every(([field, check]) => Object.hasOwn(value, field) && check(value[field]));
