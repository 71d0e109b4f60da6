import type { Document } from 'bson';
import { match } from '../match';
import type { World } from '../world';

type RunnerOperation = (world: World, args: Document) => Promise<unknown>;

/** Operations of the runner itself: fail points and assertions. */
export const RUNNER_OPERATIONS: Record<string, RunnerOperation> = {
  failPoint: (world, { client, failPoint }) => world.get('client', client).client.db('admin').command(failPoint),

  assertCollectionExists: async (world, { databaseName, collectionName }) => {
    const found = await world.maintenance.db(databaseName).listCollections({ name: collectionName }).toArray();
    if (found.length !== 1) throw new Error(`collection ${databaseName}.${collectionName} does not exist`);
  },

  assertSameLsidOnLastTwoCommands: async (world, { client }) => {
    const started = world
      .get('client', client)
      .events.flatMap((seen) => (seen.name === 'commandStartedEvent' ? [seen.event.command] : []));
    const [before, last] = started.slice(-2);
    if (before?.lsid === undefined) throw new Error('the last two commands carry no session');
    match(before.lsid, last?.lsid, world);
  },
};
