import type { Model, QueryFilter } from 'mongoose';
import type { Clock } from '../../lib/clock';
import { hmac } from '../../lib/crypto';
import { isDuplicateKey } from '../../lib/duplicate-key';
import { AppError } from '../../lib/errors';
import { derivedId, randomId } from '../../lib/ids';
import type { Json } from '../../lib/json';
import type { Keyring, Sealed, SealPurpose } from '../../lib/keyring';
import { type AnySealedCollection, sealedCollection } from '../../mixins/key-rotation';
import type { IdempotencyRecord } from './models';

/** A key is good for this long. */
const LIFETIME_MS = 24 * 3_600_000;
/** How long a request keeps its key after its last renewal. */
const LEASE_MS = 60_000;
const MAX_TRIES = 8;

/** What to do with a request: carry it out as the key's owner, or answer as the first one was answered. */
type Begin = { kind: 'new'; owner: string; lease_ms: number } | { kind: 'replay'; status: number; body: Json };

/**
 * Requests that carry an Idempotency-Key. One insert under an `_id` made of scope and key decides which request is
 * carried out; repeats read the answer that it stored.
 *
 * The request that carries the work out owns the key under a lease, and renews it as long as the work goes on. Every
 * later write names the owner, so a request that has lost its key changes nothing.
 *
 * Crash window: a process that dies between the act and `finish` leaves a key in progress. Until its lease ends, repeats
 * are refused; then one of them takes the key over and carries the request out, a second time where the first had got
 * that far.
 */
export class IdempotencyKeys {
  constructor(
    private readonly model: Model<IdempotencyRecord>,
    private readonly clock: Clock,
    private readonly ids: Buffer,
    private readonly keyring: Keyring,
  ) {}

  /** @throws AppError idempotency_mismatch for another body, idempotency_in_progress while the first one is at it */
  async begin(scope: string, key: string, bodyHash: string): Promise<Begin> {
    const id = this.#id(scope, key);
    const body = this.#fingerprint(id, bodyHash);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const owner = randomId();
      const taken: Begin = { kind: 'new', owner, lease_ms: LEASE_MS };
      if (await this.#insert(id, body, owner)) return taken;
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

  /** Extends the lease of the owner; false when the key is not its own any more. */
  async renew(scope: string, key: string, owner: string): Promise<boolean> {
    const change = { $max: { started_at: new Date(this.clock.now()) } };
    return (await this.model.updateOne(this.#owned(scope, key, owner), change).exec()).matchedCount === 1;
  }

  /** Keeps the answer for repeats. The first answer stays; a late one, of a request that was taken over, is dropped. */
  async finish(scope: string, key: string, owner: string | undefined, status: number, body: Json): Promise<void> {
    const { sealed: answer, key_id } = this.keyring.seal(purpose(this.#id(scope, key)), JSON.stringify(body));
    const change = { $set: { state: 'done', status, answer, key_id } };
    await this.model.updateOne(this.#owned(scope, key, owner), change).exec();
  }

  /** Frees the key after a request that changed nothing, so that it can be tried again. */
  async abandon(scope: string, key: string, owner: string | undefined): Promise<void> {
    await this.model.deleteOne(this.#owned(scope, key, owner)).exec();
  }

  /** The record as long as it belongs to the owner. A process of an older version names none. */
  #owned(scope: string, key: string, owner: string | undefined): QueryFilter<IdempotencyRecord> {
    return { _id: this.#id(scope, key), state: 'in_progress', ...(owner === undefined ? {} : { owner }) };
  }

  #id(scope: string, key: string): string {
    return derivedId(this.ids, 'once', scope, key);
  }

  /** Under a key: bodies hold passwords and secrets, and a bare hash of one in a stolen database would prove a guess. */
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

  async #insert(id: string, bodyHash: string, owner: string): Promise<boolean> {
    try {
      await this.model.create({ _id: id, ...this.#fresh(bodyHash, owner) });
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  /** One of several takers gets it: the write names the owner and the renewal that it saw. */
  async #takeOver(found: IdempotencyRecord, bodyHash: string, owner: string): Promise<boolean> {
    const seen = { _id: found._id, state: found.state, started_at: found.started_at, owner: found.owner ?? null };
    const { matchedCount } = await this.model.updateOne(seen, { $set: this.#fresh(bodyHash, owner) }).exec();
    return matchedCount === 1;
  }

  /** The server removes expired records by its own clock, about once a minute; until then they count as gone. */
  #expired(record: IdempotencyRecord): boolean {
    return record.expires_at.getTime() <= this.clock.now();
  }

  #replay(record: IdempotencyRecord): Begin {
    const text = this.keyring.open(purpose(record._id), sealOf(record)).toString();
    // Both were written together with the state, by `finish`.
    return { kind: 'replay', status: record.status as number, body: JSON.parse(text) as Json };
  }
}

/** How kept answers follow the master key. */
export const sealedAnswers = (model: Model<IdempotencyRecord>, keyring: Keyring): AnySealedCollection =>
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
  what: 'kept answer',
});

/** A record that is done has both. */
const sealOf = ({ answer, key_id }: IdempotencyRecord): Sealed => ({
  sealed: answer as Buffer,
  key_id: key_id as string,
});

const mismatch = (): AppError =>
  new AppError(
    'idempotency_mismatch',
    'This Idempotency-Key was used before with another body; use a new key for a new request',
  );

const inProgress = (): AppError =>
  new AppError('idempotency_in_progress', 'The first request with this Idempotency-Key is still being carried out', {
    retry_after: 1,
  });
