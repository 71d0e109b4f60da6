import { type Document, EJSON } from 'bson';
import { type Db, MongoServerError } from 'mongodb';
import { COLLECTION, type Scenario } from './commands';

/** Ids that a server generates begin with the time; those of the scenarios begin with 0000 or ffff. */
const MADE_UP = /"\$oid":"(?!0000|ffff)[0-9a-f]+"/g;

const canonical = (value: unknown): string =>
  EJSON.stringify(value, { relaxed: false }).replaceAll(MADE_UP, '"$oid":"made up"');

/** The order of groups and distinct values is not specified. */
const unordered = (values: unknown[]): string[] => values.map(canonical).sort();

const groups = (command: Document): boolean => (command.pipeline as Document[]).some((stage) => '$group' in stage);

/** The parts of a reply that must be equal: values with their types and key order, counters, error codes. */
function essence(command: Document, reply: Document): unknown {
  const { cursor, values, value, lastErrorObject, n, nModified, upserted, writeErrors } = reply;
  if (values !== undefined) return unordered(values);
  if (cursor !== undefined)
    return 'aggregate' in command && groups(command) ? unordered(cursor.firstBatch) : cursor.firstBatch.map(canonical);
  return canonical({
    value,
    n,
    nModified,
    upserted,
    errors: writeErrors?.map((error: Document) => error.code),
    updatedExisting: lastErrorObject?.updatedExisting,
  });
}

/** Replies keep the number types that the server sent. */
const TYPED = { promoteValues: false, promoteLongs: false };

async function ask(db: Db, command: Document): Promise<unknown> {
  try {
    return essence(command, await db.command(command, TYPED));
  } catch (error) {
    if (error instanceof MongoServerError) return { code: Number(error.code) };
    throw error;
  }
}

/** What a failed multi update has written depends on the order of its plan, which is not specified. */
const stoppedHalfway = (command: Document, answer: unknown): boolean =>
  command.updates?.[0].multi === true && String(answer).includes('"errors":[');

/** Empties the collection, which is several times as fast as dropping it on the real engine. */
async function empty(db: Db): Promise<void> {
  await db.collection(COLLECTION).deleteMany({});
  await db.collection(COLLECTION).dropIndexes();
}

/** Fills the scenario's collection, which exists, gives the answer to each command, then what the collection holds. */
export async function answers(db: Db, { documents, indexes, commands }: Scenario): Promise<unknown[]> {
  await empty(db);
  const given: unknown[] = [await ask(db, { insert: COLLECTION, documents })];
  if (indexes.length > 0)
    given.push(
      await ask(db, { createIndexes: COLLECTION, indexes }).then((answer) =>
        'code' in Object(answer) ? answer : 'built',
      ),
    );
  for (const command of commands) {
    const answer = await ask(db, command);
    given.push(answer);
    if (stoppedHalfway(command, answer)) return given;
  }
  given.push(await ask(db, { find: COLLECTION, sort: { _id: 1 }, batchSize: 1000 }));
  return given;
}
