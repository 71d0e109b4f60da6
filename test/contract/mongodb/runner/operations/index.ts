import type { Document } from 'bson';
import type { Operation } from '../format';
import { driverOptions, type World } from '../world';
import { BUCKET_OPERATIONS } from './bucket';
import { CLIENT_OPERATIONS } from './client';
import { COLLECTION_OPERATIONS } from './collection';
import { CURSOR_OPERATIONS } from './cursor';
import { DATABASE_OPERATIONS } from './database';
import { RUNNER_OPERATIONS } from './test-runner';

/** An operation that the driver does not support; never counts as an error that the test expects. */
export class NoSuchOperation extends Error {}

function lookUp<F>(table: Record<string, F>, name: string, kind: string): F {
  const operation = Object.hasOwn(table, name) ? table[name] : undefined;
  if (operation === undefined) throw new NoSuchOperation(`the driver has no operation ${name} on a ${kind}`);
  return operation;
}

/** Performs one operation through the driver and gives its result in the specification's shape. */
export async function perform(world: World, { name, object, arguments: given = {} }: Operation): Promise<unknown> {
  if (object === 'testRunner') return lookUp(RUNNER_OPERATIONS, name, 'test runner')(world, given);
  const args: Document = driverOptions(given);
  if (given.session !== undefined) args.session = world.get('session', given.session).session;
  const entity = world.find(object);
  switch (entity.kind) {
    case 'client':
      return lookUp(CLIENT_OPERATIONS, name, entity.kind)(entity.client, args);
    case 'database':
      return lookUp(DATABASE_OPERATIONS, name, entity.kind)(entity.db, args);
    case 'collection':
      return lookUp(COLLECTION_OPERATIONS, name, entity.kind)(entity.collection, args);
    case 'bucket':
      return lookUp(BUCKET_OPERATIONS, name, entity.kind)(entity.bucket, args);
    case 'cursor':
      return lookUp(CURSOR_OPERATIONS, name, entity.kind)(entity.cursor, args);
    default:
      throw new NoSuchOperation(`the driver has no operation ${name} on a ${entity.kind}`);
  }
}
