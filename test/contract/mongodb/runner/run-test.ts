import { setTimeout as pause } from 'node:timers/promises';
import type { MongoClient } from 'mongodb';
import { expectError, expectEvents, expectOutcome } from './expect';
import type { CollectionData, Operation, SpecFile, SpecTest } from './format';
import { match } from './match';
import { NoSuchOperation, perform } from './operations';
import { entityOf, World } from './world';

/** Unacknowledged writes may land after the next command; this is how long their outcome is awaited. */
const UNACKNOWLEDGED_WAIT_MS = 1000;

async function prepare(client: MongoClient, data: CollectionData[]): Promise<void> {
  for (const { databaseName, collectionName, createOptions, documents } of data) {
    const db = client.db(databaseName);
    await db.dropCollection(collectionName);
    const collection = await db.createCollection(collectionName, createOptions);
    if (documents.length > 0) await collection.insertMany(documents);
  }
}

type Settled = { kind: 'gave'; result: unknown } | { kind: 'threw'; error: unknown };

const settle = (promise: Promise<unknown>): Promise<Settled> =>
  promise.then(
    (result): Settled => ({ kind: 'gave', result }),
    (error: unknown): Settled => ({ kind: 'threw', error }),
  );

async function step(world: World, operation: Operation): Promise<void> {
  const settled = await settle(perform(world, operation));
  if (settled.kind === 'threw' && settled.error instanceof NoSuchOperation) throw settled.error;
  if (operation.ignoreResultAndError) return;
  if (operation.expectError) {
    if (settled.kind === 'gave') throw new Error(`${operation.name} should have failed`);
    return expectError(operation.expectError, settled.error, world);
  }
  if (settled.kind === 'threw') throw settled.error;
  const { result } = settled;
  if ('expectResult' in operation) match(operation.expectResult, result ?? null, world, operation.name);
  if (operation.saveResultAsEntity !== undefined) world.save(operation.saveResultAsEntity, entityOf(result));
}

const writesUnacknowledged = (file: SpecFile): boolean => JSON.stringify(file.createEntities ?? []).includes('"w":0');

async function outcome(world: World, expected: CollectionData[], maxWaitMs: number): Promise<void> {
  const deadline = Date.now() + maxWaitMs;
  for (;;) {
    const settled = await settle(Promise.all(expected.map((data) => expectOutcome(data, world))));
    if (settled.kind === 'gave') return;
    if (Date.now() >= deadline) throw settled.error;
    await pause(5);
  }
}

/** Runs one test of the unified format against a server; rejects with what did not match. */
export async function runTest(url: string, maintenance: MongoClient, file: SpecFile, test: SpecTest): Promise<void> {
  const world = new World(url, maintenance);
  try {
    await prepare(maintenance, file.initialData ?? []);
    await world.create(file.createEntities ?? []);
    for (const operation of test.operations) await step(world, operation);
    for (const expected of test.expectEvents ?? []) expectEvents(expected, world);
    await outcome(world, test.outcome ?? [], writesUnacknowledged(file) ? UNACKNOWLEDGED_WAIT_MS : 0);
  } finally {
    await world.close();
  }
}
