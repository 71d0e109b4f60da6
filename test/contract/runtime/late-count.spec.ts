import { type Db, MongoClient } from 'mongodb';
import { CANCEL, type Mail } from '../../../runtime/record/state';
import { ensureIndexes, openCollections } from '../../../runtime/store/mongo/collections';
import { mongoRunStore } from '../../../runtime/store/mongo/run-store';
import type { EndStatus } from '../../../runtime/record/entry';
import { openTestDatabase } from '../../support/app';
import { ending, execution, mail, record, T0 } from '../../support/runtime/records';

/** A store in which something happens between the two writes of a message: when it is stored, and not yet counted. */
async function opened() {
  const database = await openTestDatabase();
  const client = await new MongoClient(database.url).connect();
  const collections = openCollections(client.db(database.name) as Db);
  await ensureIndexes(collections);
  let between = async (): Promise<void> => {};
  const signals = new Proxy(collections.signals, {
    get: (target, member) => {
      const value: unknown = Reflect.get(target, member, target);
      if (typeof value !== 'function') return value;
      return async (...given: unknown[]) => {
        const answer: unknown = await Reflect.apply(value, target, given);
        if (member === 'insertOne') await between();
        return answer;
      };
    },
  });
  return {
    runs: mongoRunStore(collections),
    sender: mongoRunStore({ ...collections, signals }),
    onStored: (happens: () => Promise<void>) => (between = happens),
    async close() {
      await client.close();
      await database.close();
    },
  };
}

describe('a message that is stored, and counted only after the run has ended', () => {
  let subject: Awaited<ReturnType<typeof opened>>;
  beforeAll(async () => {
    subject = await opened();
  });
  afterAll(() => subject?.close());

  /** The run ends at T0 + 1,000 in between, with an entry that names a message, or none. */
  async function post(id: string, sent: Mail, status: EndStatus, named: string | null, now = T0) {
    const { runs, sender, onStored } = subject;
    await runs.insert(execution(id));
    onStored(async () => {
      const entry = { kind: 'step.completed', path: 's', attempt: 1, at: 0, started: 0, output: {}, mail: named };
      const tail = record(id, 1, { json: JSON.stringify([entry]) });
      await runs.end({ id, host: 'h1', epoch: 1 }, ending({ status }), tail);
    });
    return sender.post(id, sent, now);
  }

  it('was taken when the history names it, and is kept', async () => {
    expect(await post('a', mail('m'), 'completed', 'm')).toEqual({ kind: 'posted', owner: null, due: null });
    expect(await subject.runs.findMail('a', 'm')).not.toBeNull();
  });

  it('came too late when the history does not, and is removed', async () => {
    expect(await post('b', mail('m'), 'completed', 'another')).toEqual({ kind: 'ended' });
    expect(await subject.runs.findMail('b', 'm')).toBeNull();
  });

  it('was taken when it is a cancellation, and the run was cancelled', async () => {
    const cancel = mail(CANCEL, { name: CANCEL });
    expect(await post('c', cancel, 'cancelled', null)).toEqual({ kind: 'posted', owner: null, due: null });
    expect(await post('d', cancel, 'completed', null)).toEqual({ kind: 'ended' });
  });

  it('is not looked for in the history of a run that ended long ago', async () => {
    expect(await post('e', mail('m'), 'completed', 'm', T0 + 600_000)).toEqual({ kind: 'ended' });
  });
});
