import { createConnection } from 'mongoose';
import { createIndexes, workflowModels } from '../../../services/workflows/models';
import { openTestDatabase } from '../../support/app';

const OTHERS = 400;

/** What a plan tells of the work that it took. */
interface Explained {
  readonly executionStats: { readonly totalKeysExamined: number; readonly totalDocsExamined: number };
}

test.each<[string, object]>([
  ['who listens to ends and signals', { 'topics.0': { $exists: true }, enabled: true, status: 'active' }],
  ['a workflow by its name', { name: 'mine' }],
])('%s is looked for among the workflows of the tenant alone', async (_what, filter) => {
  const database = await openTestDatabase();
  const db = await createConnection(database.url, { dbName: database.name }).asPromise();
  try {
    const models = workflowModels(db);
    await createIndexes(models);
    const common = { enabled: true, status: 'active', deleted_at: null, created_at: new Date() };
    const workflows = Array.from({ length: OTHERS }, (_, n) => ({
      ...common,
      _id: `w${n}`,
      tenant_id: n < 3 ? 'ann' : 'bob',
      name: n === 0 ? 'mine' : 'other',
    }));
    const collection = models.workflows.collection;
    await collection.insertMany(workflows as never[]);
    const found = collection.find({ ...filter, deleted_at: null, tenant_id: 'ann' } as never);
    const { executionStats } = (await found.explain('executionStats')) as unknown as Explained;
    expect(executionStats.totalKeysExamined).toBeLessThan(10);
    expect(executionStats.totalDocsExamined).toBeLessThan(10);
  } finally {
    await db.close();
    await database.close();
  }
});
