import type { Document } from 'bson';
import type { Db } from 'mongodb';
import { CommandCursor, commandCursor } from './cursor';

type DatabaseOperation = (db: Db, args: Document) => unknown;

/** Operations on a database: collection management and run-command specifications. */
export const DATABASE_OPERATIONS: Record<string, DatabaseOperation> = {
  aggregate: (db, { pipeline, ...options }) => db.aggregate(pipeline, options).toArray(),
  createCollection: (db, { collection, ...options }) => db.createCollection(collection, options),
  createCommandCursor: (db, args) => CommandCursor.open(db, args),
  dropCollection: (db, { collection, ...options }) => db.dropCollection(collection, options),
  listCollections: (db, { filter, ...options }) => db.listCollections(filter, options).toArray(),
  modifyCollection: (db, { collection, ...options }) => db.command({ collMod: collection, ...options }),
  runCommand: (db, { command, session, readPreference }) => db.command(command, { session, readPreference }),
  runCursorCommand: (db, args) => commandCursor(db, args).toArray(),
};
