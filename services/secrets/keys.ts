import { mastersOf } from '../../lib/master-key-record';
import { type ProgressRecord, RotationProgress } from '../../lib/rotation-progress';
import type { App } from '../app';
import type { KeysView, MasterKeyView, SealedCollectionView } from '../../contracts/secrets';

/** Which keys are in use, and how far a rotation of the master key is. */
export async function keysOf({ db, keys, keyring, clock, nodeId }: App): Promise<KeysView> {
  const [masters, records] = await Promise.all([mastersOf(db), new RotationProgress(db, nodeId).all()]);
  const used = masters.map(({ id, since }): MasterKeyView => ({ key_id: id, since: since.toISOString() })).reverse();
  // After `npm run keys -- forget` there is no record until the next start.
  const [current = { key_id: keyring.newestId, since: new Date(clock.now()).toISOString() }, ...previous] = used;
  const collections = records.map((record) => collectionView(record, current.key_id));
  return {
    master: {
      ...current,
      previous: previous.map((one) => ({ ...one, known: keyring.ids.includes(one.key_id) })),
      done: collections.every(({ state, left }) => state === 'done' && left === 0),
      collections,
    },
    token: { algorithm: keys.jwt.kind === 'secret' ? 'HS256' : 'EdDSA', previous: keys.previous.jwt.length },
    principal: { previous: keys.previous.principal.length },
  };
}

function collectionView(record: ProgressRecord, currentId: string): SealedCollectionView {
  const { _id: name, left, resealed, unreadable, updated_at, finished_at } = record;
  const state = record.key_id !== currentId ? 'waiting' : finished_at === null ? 'rotating' : 'done';
  return { name, state, left, resealed, unreadable, updated_at: updated_at.toISOString() };
}
