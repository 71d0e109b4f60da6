import type { Document } from 'bson';
import { MongoBulkWriteError, MongoClientBulkWriteError, MongoError, MongoServerError } from 'mongodb';
import { errorMessage } from '../../../../lib/errors';
import type { CollectionData, ExpectedError, ExpectedEvents } from './format';
import { type Entities, match } from './match';
import { clientBulkWriteResult } from './operations/client';
import { bulkWriteCounts } from './operations/collection';
import type { CommandEvent, World } from './world';

function partialResult(thrown: unknown): Document | undefined {
  if (thrown instanceof MongoBulkWriteError) return bulkWriteCounts(thrown.result);
  if (!(thrown instanceof MongoClientBulkWriteError)) throw new Error('the error carries no result', { cause: thrown });
  return thrown.partialResult && clientBulkWriteResult(thrown.partialResult);
}

const demand = (holds: boolean, claim: string, thrown: unknown): void => {
  if (!holds) throw new Error(`the error should ${claim}: ${errorMessage(thrown)}`, { cause: thrown });
};

/** The server's own error: a client bulk write wraps the one that ended it. */
const serverError = (thrown: unknown): unknown =>
  (thrown instanceof MongoClientBulkWriteError && thrown.cause) || thrown;

/** Throws unless an operation's error is the one that the test expects. */
export function expectError(expected: ExpectedError, thrown: unknown, entities: Entities): void {
  const error = thrown as MongoServerError & { writeErrors?: Map<number, Document>; writeConcernErrors?: Document[] };
  const { isClientError, errorContains, errorCode, errorResponse, expectResult, writeErrors, writeConcernErrors } =
    expected;
  demand(thrown instanceof MongoError, 'come from the driver or the server', thrown);
  if (isClientError !== undefined)
    demand(
      isClientError !== thrown instanceof MongoServerError,
      `be the ${isClientError ? 'client' : 'server'}'s`,
      thrown,
    );
  if (errorContains !== undefined)
    demand(errorMessage(thrown).toLowerCase().includes(errorContains.toLowerCase()), `say "${errorContains}"`, thrown);
  if (errorCode !== undefined) match({ code: errorCode }, serverError(thrown), entities);
  if (errorResponse !== undefined) match(errorResponse, serverError(thrown), entities, 'error');
  if (expectResult !== undefined) match(expectResult, partialResult(thrown), entities, 'partial result');
  for (const [index, one] of Object.entries(writeErrors ?? {}))
    match(one, error.writeErrors?.get(Number(index)), entities, `writeErrors.${index}`);
  for (const [i, one] of (writeConcernErrors ?? []).entries())
    match(one, error.writeConcernErrors?.[i], entities, `writeConcernErrors[${i}]`);
}

/** The runner's own commands are not part of what a test observes. */
const isOwn = ({ event }: CommandEvent): boolean => event.commandName === 'configureFailPoint';

/** Throws unless the client's command events are the expected ones, in order. Pool events are not looked at. */
export function expectEvents(
  { client, eventType = 'command', events, ignoreExtraEvents }: ExpectedEvents,
  world: World,
): void {
  if (eventType !== 'command') return;
  const seen = world.get('client', client);
  const actual = seen.events.filter((one) => seen.observed.includes(one.name) && !isOwn(one));
  for (const [i, expected] of events.entries()) {
    const [name, members] = Object.entries(expected)[0] as [string, Document];
    const path = `event ${i}`;
    match(name, actual[i]?.name, world, path);
    for (const [member, value] of Object.entries(members))
      match(value, (actual[i]?.event as Document | undefined)?.[member], world, `${path}.${member}`);
  }
  if (!ignoreExtraEvents) match(events.length, actual.length, world, 'number of events');
}

/** Throws unless the collection holds exactly these documents, in order of their ids. */
export async function expectOutcome(
  { databaseName, collectionName, documents }: CollectionData,
  world: World,
): Promise<void> {
  const found = world.maintenance
    .db(databaseName)
    .collection(collectionName)
    .find({}, { sort: { _id: 1 } });
  match(documents, await found.toArray(), world, `${databaseName}.${collectionName}`, false);
}
