import { type Db, MongoClient } from 'mongodb';
import type { Deployment } from '../../../start/doctor/deployment';
import { indexes } from '../../../start/doctor/checks/indexes';
import { openTestDatabase } from '../../support/app';

test('a collection that is removed while the indexes are read is no fault', async () => {
  const database = await openTestDatabase();
  const client = await new MongoClient(database.url).connect();
  try {
    const db = client.db(database.name);
    await db.collection('workflows').insertOne({});
    const names = ['workflows', 'removed'].map((name) => ({ name }));
    const listed = Object.assign(Object.create(db) as Db, { listCollections: () => ({ toArray: async () => names }) });
    const deployment = { database: async () => ({ kind: 'open', db: listed }) } as unknown as Deployment;
    const findings = await indexes.run({ deployment } as never);
    expect(findings.filter(({ what }) => what.includes('does not exist') || what.includes('removed'))).toEqual([]);
    expect(findings.length).toBeGreaterThan(0);
  } finally {
    await client.close();
    await database.close();
  }
}, 60_000);
