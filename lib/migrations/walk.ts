import { DURABLE } from '../write-concern';
import type { AnyBulkWriteOperation, Db, Document } from 'mongodb';
import type { StepRecord, Work } from './step';

const BATCH = 200;

/** Position and number of changes of a walk. */
export interface Footprint {
  readonly position: StepRecord['position'];
  readonly changed: number;
}

/**
 * Context of one step, from its stored position. `save` is called after each batch, and throws when the walk must stop.
 * Collections are walked in the order in which the step names them.
 */
export function workOf(db: Db, from: Footprint, save: (at: Footprint) => Promise<void>): Work {
  let at = from;
  // Collections that an earlier run has completed are skipped.
  let passed = from.position === null;
  return {
    db,
    async walk(name, filter, change) {
      const here = at.position?.collection === name;
      if (!passed && !here) return;
      let after = !passed && here ? (at.position?.id ?? null) : null;
      passed = true;
      const collection = db.collection<{ _id: string }>(name);
      for (;;) {
        const behind: Document = after === null ? {} : { _id: { $gt: after } };
        const batch = await collection
          .find({ $and: [filter, behind] })
          .sort({ _id: 1 })
          .limit(BATCH)
          .toArray();
        const last = batch.at(-1);
        if (last === undefined) return;
        const changes = batch.flatMap((document) => {
          // The step's type parameter describes the collection's documents.
          const made = change(document as never);
          if (made === null) return [];
          return [{ updateOne: { filter: { ...made.where, _id: document._id }, update: made.update } }];
        }) as AnyBulkWriteOperation<{ _id: string }>[];
        const options = { ordered: false, ...DURABLE } as const;
        const result = changes.length === 0 ? null : await collection.bulkWrite(changes, options);
        after = last._id;
        at = { position: { collection: name, id: after }, changed: at.changed + (result?.modifiedCount ?? 0) };
        await save(at);
      }
    },
  };
}
