import type { AnyBulkWriteOperation, Db, Document } from 'mongodb';
import type { StepRecord, Work } from './step';

const BATCH = 200;

/** Where a walk is, and what it has changed so far. */
export interface Footprint {
  readonly position: StepRecord['position'];
  readonly changed: number;
}

/**
 * The work of one step, from where its record says. `save` is told after each batch, and throws when the walk must not go
 * on. Collections are walked in the order in which the step names them.
 */
export function workOf(db: Db, from: Footprint, save: (at: Footprint) => Promise<void>): Work {
  let at = from;
  // Those that a former run of the step has gone through are passed by.
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
          // The step says by its type what it has stored in this collection.
          const made = change(document as never);
          if (made === null) return [];
          return [{ updateOne: { filter: { ...made.where, _id: document._id }, update: made.update } }];
        }) as AnyBulkWriteOperation<{ _id: string }>[];
        const options = { ordered: false, writeConcern: { w: 'majority', journal: true } } as const;
        const result = changes.length === 0 ? null : await collection.bulkWrite(changes, options);
        after = last._id;
        at = { position: { collection: name, id: after }, changed: at.changed + (result?.modifiedCount ?? 0) };
        await save(at);
      }
    },
  };
}
