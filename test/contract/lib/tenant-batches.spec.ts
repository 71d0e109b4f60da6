import { type Connection, createConnection, Schema } from 'mongoose';
import { type Owned, ofTenant, ownedFields } from '../../../lib/tenant';
import { openTestDatabase, type TestDatabase } from '../../support/app';

const RECORDS = 500;

let database: TestDatabase;
let connection: Connection;
const sent: string[] = [];

beforeAll(async () => {
  database = await openTestDatabase();
  connection = await createConnection(database.url, { dbName: database.name, monitorCommands: true }).asPromise();
  const of = (tenant_id: string) => Array.from({ length: RECORDS }, (_, n) => ({ _id: `${tenant_id}${n}`, tenant_id }));
  await things().insertMany([...of('mine'), ...of('other')]);
  connection.getClient().on('commandStarted', ({ commandName }) => sent.push(commandName));
});
beforeEach(() => void (sent.length = 0));
afterAll(async () => {
  await connection?.close();
  await database?.close();
});

const things = () =>
  connection.models.Thing ?? connection.model('Thing', new Schema<Owned>({ ...ownedFields }, { versionKey: false }));
const mine = () => ofTenant(things(), 'mine');

describe('the records of a tenant', () => {
  it('are read in batches', async () => {
    const ids: string[] = [];
    for await (const { _id } of mine().each({}, { sort: { _id: 1 } })) ids.push(_id);
    expect(ids).toEqual(Array.from({ length: RECORDS }, (_, n) => `mine${n}`).sort());
    expect(sent.filter((name) => name === 'getMore').length).toBeGreaterThanOrEqual(2);
  });

  it('are no longer held by the database when the loop over them ends early', async () => {
    for await (const { tenant_id } of mine().each({})) {
      expect(tenant_id).toBe('mine');
      break;
    }
    expect(sent).toEqual(['find', 'killCursors']);
  });
});
