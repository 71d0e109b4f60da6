import type { Model, QueryFilter } from 'mongoose';
import type { Clock } from '../../lib/clock';
import { hmac } from '../../lib/crypto';
import { nullOnDuplicate } from '../../lib/duplicate-key';
import { AppError } from '../../lib/errors';
import { derivedId, randomId } from '../../lib/ids';
import type { Json } from '../../lib/json';
import { NO_LIMITS } from '../../lib/json/limits';
import { parseJsonSliced } from '../../lib/json/parse-sliced';
import { stringifyJsonSliced } from '../../lib/json/stringify-sliced';
import type { Keyring, Sealed, SealPurpose } from '../../lib/keyring';
import { type AnySealedCollection, sealedCollection } from '../../mixins/key-rotation';
import type { IdempotencyRecord } from './models';

const LIFETIME_MS = 24 * 3_600_000;
/** How long a request owns its key after its last renewal. */
const LEASE_MS = 60_000;
const MAX_TRIES = 8;

/** `new`: the request is executed as the key's owner; `replay`: it is answered with the stored response. */
type Begin = { kind: 'new'; owner: string; lease_ms: number } | { kind: 'replay'; status: number; body: Json };

/**
 * Idempotency-Key store. One insert with an `_id` derived from scope and key decides which request is executed; repeated
 * requests get its stored response.
 *
 * The executing request owns the key under a lease, which it renews. Every write is conditional on the owner, so a request
 * that has lost its key changes nothing.
 *
 * Crash window: a process that dies between the action and `finish` leaves the key in progress. Repeated requests are
 * refused until the lease expires; then one of them takes the key over and executes the action, possibly a second time.
 */
export class IdempotencyKeys {
  constructor(
    private readonly model: Model<IdempotencyRecord>,
    private readonly clock: Clock,
    private readonly ids: Buffer,
    private readonly keyring: Keyring,
  ) {}

  /** @throws AppError idempotency_mismatch for another body; idempotency_in_progress while the first request is executed */
  async begin(scope: string, key: string, bodyHash: string): Promise<Begin> {
    const id = this.#id(scope, key);
    const body = this.#fingerprint(id, bodyHash);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const owner = randomId();
      const taken: Begin = { kind: 'new', owner, lease_ms: LEASE_MS };
      if ((await nullOnDuplicate(this.model.create({ _id: id, ...this.#fresh(body, owner) }))) !== null) return taken;
      const found = (await this.model.findById(id).lean().exec()) as IdempotencyRecord | null;
      if (found === null) continue;
      if (this.#expired(found)) {
        if (await this.#takeOver(found, body, owner)) return taken;
        continue;
      }
      if (found.body_hash !== body) throw mismatch();
      if (found.state === 'done') return this.#replay(found);
      if (found.started_at.getTime() + LEASE_MS > this.clock.now()) throw inProgress();
      if (await this.#takeOver(found, body, owner)) return taken;
    }
    throw inProgress();
  }

  /** Extends the owner's lease; false when it has lost the key. */
  async renew(scope: string, key: string, owner: string): Promise<boolean> {
    const change = { $max: { started_at: new Date(this.clock.now()) } };
    return (await this.model.updateOne(this.#owned(scope, key, owner), change).exec()).matchedCount === 1;
  }

  /** Stores the response. A response of a request that has lost its key is dropped. */
  async finish(scope: string, key: string, owner: string | undefined, status: number, body: Json): Promise<void> {
    const text = (await stringifyJsonSliced(body)) ?? '';
    const { sealed: answer, key_id } = this.keyring.seal(purpose(this.#id(scope, key)), text);
    const change = { $set: { state: 'done', status, answer, key_id } };
    await this.model.updateOne(this.#owned(scope, key, owner), change).exec();
  }

  /** Releases the key of a request that changed nothing, so that it can be retried. */
  async abandon(scope: string, key: string, owner: string | undefined): Promise<void> {
    await this.model.deleteOne(this.#owned(scope, key, owner)).exec();
  }

  /** Matches the record while it has this owner. Processes of older versions send no owner. */
  #owned(scope: string, key: string, owner: string | undefined): QueryFilter<IdempotencyRecord> {
    return { _id: this.#id(scope, key), state: 'in_progress', ...(owner === undefined ? {} : { owner }) };
  }

  #id(scope: string, key: string): string {
    return derivedId(this.ids, 'once', scope, key);
  }

  /** Keyed, because a plain hash in a stolen database would allow guesses of passwords and secrets in bodies. */
  #fingerprint(id: string, bodyHash: string): string {
    return hmac(this.ids, `once body:${id}:${bodyHash}`).toString('hex');
  }

  #fresh(bodyHash: string, owner: string): Omit<IdempotencyRecord, '_id'> {
    const now = this.clock.now();
    return {
      owner,
      body_hash: bodyHash,
      state: 'in_progress',
      started_at: new Date(now),
      status: null,
      answer: null,
      key_id: null,
      expires_at: new Date(now + LIFETIME_MS),
    };
  }

  /** Compare-and-swap on the owner and its last renewal. */
  async #takeOver(found: IdempotencyRecord, bodyHash: string, owner: string): Promise<boolean> {
    const seen = { _id: found._id, state: found.state, started_at: found.started_at, owner: found.owner ?? null };
    const { matchedCount } = await this.model.updateOne(seen, { $set: this.#fresh(bodyHash, owner) }).exec();
    return matchedCount === 1;
  }

  /** The database removes expired records with a delay. */
  #expired(record: IdempotencyRecord): boolean {
    return record.expires_at.getTime() <= this.clock.now();
  }

  async #replay(record: IdempotencyRecord): Promise<Begin> {
    const text = this.keyring.open(purpose(record._id), sealOf(record)).toString();
    // `finish` writes both together with the state.
    return { kind: 'replay', status: record.status as number, body: await parseJsonSliced(text, NO_LIMITS) };
  }
}

/** Re-encrypts stored responses after a rotation of the master key. */
export const sealedResponses = (model: Model<IdempotencyRecord>, keyring: Keyring): AnySealedCollection =>
  sealedCollection({
    model,
    keyPath: 'key_id',
    fields: ['answer', 'key_id'],
    reseal(record) {
      const { sealed, key_id } = keyring.seal(purpose(record._id), keyring.open(purpose(record._id), sealOf(record)));
      return { answer: sealed, key_id };
    },
  });

const purpose = (id: string): SealPurpose => ({
  purpose: 'everstep idempotent answers',
  context: [id],
  what: 'stored response',
});

/** Records that are done have both. */
const sealOf = ({ answer, key_id }: IdempotencyRecord): Sealed => ({
  sealed: answer as Buffer,
  key_id: key_id as string,
});

const mismatch = (): AppError =>
  new AppError(
    'idempotency_mismatch',
    'This Idempotency-Key was used with another body; use a new key for a new request',
  );

const inProgress = (): AppError =>
  new AppError('idempotency_in_progress', 'The first request with this Idempotency-Key is still in progress', {
    retry_after: 1,
  });
