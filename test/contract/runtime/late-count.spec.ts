import { type Db, MongoClient } from 'mongodb';
import { CANCEL, type Message } from '../../../runtime/core/state/state';
import { openCollections } from '../../../runtime/mongo/collections';
import { ensureIndexes } from '../../../runtime/mongo/indexes';
import { mongoRunStore } from '../../../runtime/mongo/run-store';
import type { EndStatus } from '../../../runtime/core/entries/entry';
import { openTestDatabase } from '../../support/app';
import { ending, execution, mail, record, T0 } from '../../support/runtime/records';

/** A store in which something happens between the two writes of a message: when it is stored, and not yet counted. */
async function opened() {
  const database = await openTestDatabase();
  const client = await new MongoClient(database.url).connect();
  const collections = openCollections(client.db(database.name) as Db);
  await ensureIndexes(collections);
  const calls: string[] = [];
  let between = async (): Promise<void> => {};
  const signals = new Proxy(collections.signals, {
    get: (target, member) => {
      const value: unknown = Reflect.get(target, member, target);
      if (typeof value !== 'function') return value;
      return async (...given: unknown[]) => {
        calls.push(String(member));
        const answer: unknown = await Reflect.apply(value, target, given);
        if (member === 'insertOne') await between();
        return answer;
      };
    },
  });
  return {
    runs: mongoRunStore(collections),
    sender: mongoRunStore({ ...collections, signals }),
    calls,
    onStored: (happens: () => Promise<void>) => (between = happens),
    async close() {
      await client.close();
      await database.close();
    },
  };
}

it('a message to a run that is known to have ended is refused without a write, and without its history', async () => {
  const { runs, sender, calls, onStored, close } = await opened();
  try {
    onStored(async () => {});
    await runs.insert(execution('ended'));
    await runs.end({ id: 'ended', host: 'h1', epoch: 1 }, ending(), record('ended', 1));
    expect((await sender.addMessage('ended', mail('m'), T0)).kind).toBe('ended');
    const before = calls.length;
    for (const id of ['m', 'n', 'o']) expect((await sender.addMessage('ended', mail(id), T0)).kind).toBe('ended');
    expect([...new Set(calls.slice(before))]).toEqual(['findOne']);
  } finally {
    await close();
  }
});

describe('a message that is stored, and counted only after the run has ended', () => {
  let subject: Awaited<ReturnType<typeof opened>>;
  beforeAll(async () => {
    subject = await opened();
  });
  afterAll(() => subject?.close());

  /** The run ends at T0 + 1,000 in between, with an entry that names a message, or none. */
  async function post(id: string, sent: Message, status: EndStatus, named: string | null, now = T0) {
    const { runs, sender, onStored } = subject;
    await runs.insert(execution(id));
    onStored(async () => {
      const entry = { kind: 'step.completed', path: 's', attempt: 1, at: 0, started: 0, output: {}, mail: named };
      const tail = record(id, 1, { json: JSON.stringify([entry]) });
      await runs.end({ id, host: 'h1', epoch: 1 }, ending({ status }), tail);
    });
    return sender.addMessage(id, sent, now);
  }

  it('was taken when the history names it, and is kept', async () => {
    expect(await post('a', mail('m'), 'completed', 'm')).toEqual({ kind: 'posted', owner: null, due: null });
    expect(await subject.runs.findMessage('a', 'm')).not.toBeNull();
  });

  it('came too late when the history does not, and is removed', async () => {
    expect(await post('b', mail('m'), 'completed', 'another')).toEqual({ kind: 'ended' });
    expect(await subject.runs.findMessage('b', 'm')).toBeNull();
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
