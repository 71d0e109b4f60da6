import type { AnyBulkWriteOperation, Collection, Document, OptionalUnlessRequiredId } from 'mongodb';
import { MongoBulkWriteError } from 'mongodb';
import { GroupCommit } from '../group-commit';

/** Inserts of many actors as one command; per document: inserted, or its id was taken. */
export function insertLane<D extends Document & { _id: string }>(
  collection: Collection<D>,
): GroupCommit<D, 'inserted' | 'exists'> {
  return new GroupCommit(async (documents) => {
    const results: ('inserted' | 'exists')[] = documents.map(() => 'inserted');
    try {
      await collection.insertMany(documents as OptionalUnlessRequiredId<D>[], { ordered: false });
    } catch (fault) {
      if (!(fault instanceof MongoBulkWriteError)) throw fault;
      const errors = Array.isArray(fault.writeErrors) ? fault.writeErrors : [fault.writeErrors];
      if (errors.length === 0 || errors.some((error) => error.code !== 11000)) throw fault;
      for (const error of errors) results[error.index] = 'exists';
    }
    return results;
  });
}

/** An update of one document that may find its claim lost; `judge` tells from the document as it stands afterwards. */
export interface ConditionalUpdate<D, R> {
  readonly id: string;
  readonly filter: Document;
  readonly update: Document;
  readonly done: R;
  readonly judge: (document: D | null) => R;
}

/**
 * Updates of many actors as one command. The answer of a bulk write tells only how many matched in all: when that is
 * fewer than were sent, the documents are read again and each update is judged by what it finds.
 */
export function updateLane<D extends Document & { _id: string }, R>(
  collection: Collection<D>,
): GroupCommit<ConditionalUpdate<D, R>, R> {
  return new GroupCommit(async (updates) => {
    const operations = updates.map(({ id, filter, update }) => ({
      updateOne: { filter: { _id: id, ...filter }, update },
    }));
    const { matchedCount } = await collection.bulkWrite(operations as unknown as AnyBulkWriteOperation<D>[], {
      ordered: false,
    });
    if (matchedCount === updates.length) return updates.map((update) => update.done);
    const documents = await collection.find({ _id: { $in: updates.map((update) => update.id) } } as object).toArray();
    const byId = new Map(documents.map((document) => [document._id as string, document as unknown as D]));
    return updates.map((update) => update.judge(byId.get(update.id) ?? null));
  });
}
