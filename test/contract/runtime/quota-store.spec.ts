import { NO_USE, type Quota } from '../../../runtime/core/decide/quota';
import { mongoQuotaStore } from '../../../runtime/mongo/quota-store';
import { mongoRunStore } from '../../../runtime/mongo/run-store';
import type { QuotaStore } from '../../../runtime/ports/quota-store';
import { ready, T0 } from '../../support/runtime/records';
import { implementationsOf, type StorePair } from '../../support/runtime/store-pair';
import { openTwoConnections } from '../../support/runtime/two-connections';

const QUOTA: Quota = {
  starts: [{ id: 'a#1.1', at: T0 }],
  uses: [{ id: 'a', run: 'r', epoch: 1, n: 1 }],
  waiters: [{ id: 'b', run: 'q', since: T0, due: T0 + 5 }],
};

describe.each(implementationsOf(({ quotas }) => quotas, mongoQuotaStore))('%s', (_, open) => {
  let subject: StorePair<QuotaStore>;
  beforeAll(async () => {
    subject = await open();
  });
  afterAll(() => subject?.close());

  it('replaces what was read, once', async () => {
    const { store: quotas, others } = subject;
    const empty = await quotas.read('one');
    expect(empty).toEqual({ quota: NO_USE, revision: null });
    expect(await quotas.write('one', empty, QUOTA, 'first', T0 + 86_400_000_000)).toBe(true);
    expect(await others.write('one', empty, NO_USE, 'second', T0 + 86_400_000_000)).toBe(false);
    const read = await others.read('one');
    expect(read).toEqual({ quota: QUOTA, revision: 'first' });
    expect(await others.write('one', read, NO_USE, 'third', T0 + 86_400_000_000)).toBe(true);
    expect(await quotas.write('one', read, QUOTA, 'fourth', T0 + 86_400_000_000)).toBe(false);
    expect(await quotas.read('one')).toEqual({ quota: NO_USE, revision: 'third' });
  });

  it('knows the claims of runs that have not ended', async () => {
    const { runs, store: quotas } = subject;
    await runs.insert(ready('free'));
    await runs.insert(ready('owned'));
    await runs.claim('host', [ready('owned')]);
    const epoch = (await runs.load('owned'))?.epoch;
    expect(await quotas.running(['free', 'owned', 'absent'])).toEqual(
      new Map([
        ['free', null],
        ['owned', epoch],
      ]),
    );
  });

  it('makes a run due earlier, and its host look again', async () => {
    const { runs, store: quotas } = subject;
    await runs.insert(ready('sleeps', T0 + 60_000));
    await quotas.wakeAt('sleeps', T0 + 5);
    expect(await runs.load('sleeps')).toMatchObject({ wakeAt: T0 + 5, messageSeq: 1 });
    await quotas.wakeAt('sleeps', T0 + 50);
    expect(await runs.load('sleeps')).toMatchObject({ wakeAt: T0 + 5 });
  });
});

it('a marked run is not claimed by a version that does not know the wait', async () => {
  const { first, close } = await openTwoConnections();
  try {
    const [runs, older] = [mongoRunStore(first), mongoRunStore(first, { reads: 3, writes: 1 })];
    await runs.insert(ready('marked'));
    await mongoQuotaStore(first).mark('marked');
    expect(await older.due(T0 + 1, 10)).toEqual([]);
    expect((await runs.due(T0 + 1, 10)).map(({ id }) => id)).toEqual(['marked']);
  } finally {
    await close();
  }
});
