import { type Connection, createConnection } from 'mongoose';
import { type Engine, openEngine } from '../runner/engine';

/** A mongoose connection to the engine under test, for one spec file; the database is dropped before each test. */
export function useConnection(database: string): () => Connection {
  let engine: Engine;
  let connection: Connection;
  beforeAll(async () => {
    engine = await openEngine();
    connection = await createConnection(engine.url, { dbName: database }).asPromise();
  });
  beforeEach(() => {
    for (const name of connection.modelNames()) connection.deleteModel(name);
    return connection.dropDatabase();
  });
  afterAll(async () => {
    await connection?.close();
    await engine?.close();
  });
  return () => connection;
}
