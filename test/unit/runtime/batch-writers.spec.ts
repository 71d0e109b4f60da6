import type { Collection } from 'mongodb';
import { updateBatchWriter } from '../../../runtime/mongo/batch-writers';

interface Row {
  _id: string;
  owner: string | null;
  big: string;
}

it('a batch with a mismatch reads only the required fields of its documents', async () => {
  const finds: unknown[] = [];
  const collection = {
    bulkWrite: async () => ({ matchedCount: 1 }),
    find: (_filter: unknown, options: unknown) => {
      finds.push(options);
      return { toArray: async () => [{ _id: 'a', owner: 'h' }] };
    },
  } as unknown as Collection<Row>;
  const lane = updateBatchWriter<Row, 'owner', string>(collection, ['owner']);
  const classify = (row: Pick<Row, 'owner'> | null): string => row?.owner ?? 'gone';
  const update = { filter: {}, update: {}, done: 'done', classify };
  expect(await Promise.all([lane.add({ id: 'a', ...update }), lane.add({ id: 'b', ...update })])).toEqual([
    'h',
    'gone',
  ]);
  expect(finds).toEqual([{ projection: { owner: 1 } }]);
});
