import type { Model } from 'mongoose';
import type { Clock } from '../../lib/clock';
import { hmac } from '../../lib/crypto';
import { isDuplicateKey } from '../../lib/duplicate-key';
import { AppError } from '../../lib/errors';
import { derivedId } from '../../lib/ids';
import type { Json } from '../../lib/json';
import type { Keyring, Sealed, SealPurpose } from '../../lib/keyring';
import { type AnySealedCollection, sealedCollection } from '../../mixins/keys/rotation';
import type { OnceRecord } from './models';

/** A key is good for this long. */
const LIFETIME_MS = 24 * 3_600_000;
/** Whoever began and has not finished by then is taken for dead. */
const ABANDONED_MS = 60_000;
const MAX_TRIES = 8;

/** What to do with a request: carry it out, or answer as the first one was answered. */
export type Begin = { kind: 'new' } | { kind: 'replay'; status: number; body: Json };

/**
 * Requests that carry an Idempotency-Key. One insert under an `_id` made of scope and key decides who carries the
 * request out; everybody else reads what he left.
 *
 * Crash window: a host that dies between the act and `finish` leaves a key in progress. For a minute repeats are told
 * so; then one of them takes the key over and carries the request out, a second time where the first had got that far.
 */
export class Once {
  constructor(
    private readonly model: Model<OnceRecord>,
    private readonly clock: Clock,
    private readonly ids: Buffer,
    private readonly keyring: Keyring,
  ) {}

  /** @throws AppError idempotency_mismatch for another body, idempotency_in_progress while the first one is at it */
  async begin(scope: string, key: string, bodyHash: string): Promise<Begin> {
    const id = this.#id(scope, key);
    const body = this.#fingerprint(id, bodyHash);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      if (await this.#insert(id, body)) return { kind: 'new' };
      const found = (await this.model.findById(id).lean().exec()) as OnceRecord | null;
      if (found === null) continue;
      if (this.#expired(found)) {
        if (await this.#takeOver(found, body)) return { kind: 'new' };
        continue;
      }
      if (found.body_hash !== body) throw mismatch();
      if (found.state === 'done') return this.#replay(found);
      if (found.started_at.getTime() + ABANDONED_MS > this.clock.now()) throw inProgress();
      if (await this.#takeOver(found, body)) return { kind: 'new' };
    }
    throw inProgress();
  }

  /** Keeps the answer for repeats. The first answer stays; a late one, of a request that was taken over, is dropped. */
  async finish(scope: string, key: string, status: number, body: Json): Promise<void> {
    const id = this.#id(scope, key);
    const { sealed: answer, key_id } = this.keyring.seal(purpose(id), JSON.stringify(body));
    const change = { $set: { state: 'done', status, answer, key_id } };
    await this.model.updateOne({ _id: id, state: 'in_progress' }, change).exec();
  }

  /** Frees the key after a request that changed nothing, so that it can be tried again. */
  async abandon(scope: string, key: string): Promise<void> {
    await this.model.deleteOne({ _id: this.#id(scope, key), state: 'in_progress' }).exec();
  }

  #id(scope: string, key: string): string {
    return derivedId(this.ids, 'once', scope, key);
  }

  /** Under a key: bodies hold passwords and secrets, and a bare hash of one in a stolen database would prove a guess. */
  #fingerprint(id: string, bodyHash: string): string {
    return hmac(this.ids, `once body:${id}:${bodyHash}`).toString('hex');
  }

  #fresh(bodyHash: string): Omit<OnceRecord, '_id'> {
    const now = this.clock.now();
    return {
      body_hash: bodyHash,
      state: 'in_progress',
      started_at: new Date(now),
      status: null,
      answer: null,
      key_id: null,
      expires_at: new Date(now + LIFETIME_MS),
    };
  }

  async #insert(id: string, bodyHash: string): Promise<boolean> {
    try {
      await this.model.create({ _id: id, ...this.#fresh(bodyHash) });
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  }

  /** One of several takers gets it: the write names the beginning that it saw. */
  async #takeOver(found: OnceRecord, bodyHash: string): Promise<boolean> {
    const { matchedCount } = await this.model
      .updateOne({ _id: found._id, state: found.state, started_at: found.started_at }, { $set: this.#fresh(bodyHash) })
      .exec();
    return matchedCount === 1;
  }

  /** The server removes expired records by its own clock, about once a minute; until then they count as gone. */
  #expired(record: OnceRecord): boolean {
    return record.expires_at.getTime() <= this.clock.now();
  }

  #replay(record: OnceRecord): Begin {
    const text = this.keyring.open(purpose(record._id), sealOf(record)).toString();
    // Both were written together with the state, by `finish`.
    return { kind: 'replay', status: record.status as number, body: JSON.parse(text) as Json };
  }
}

/** How kept answers follow the master key. */
export const sealedAnswers = (model: Model<OnceRecord>, keyring: Keyring): AnySealedCollection =>
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
const sealOf = ({ answer, key_id }: OnceRecord): Sealed => ({ sealed: answer as Buffer, key_id: key_id as string });

const mismatch = (): AppError =>
  new AppError(
    'idempotency_mismatch',
    'This Idempotency-Key was used before with another body; use a new key for a new request',
  );

const inProgress = (): AppError =>
  new AppError('idempotency_in_progress', 'The first request with this Idempotency-Key is still being carried out', {
    retry_after: 1,
  });
