import type { Collection } from 'mongodb';
import { updateBatchWriter } from '../../../runtime/mongo/batch-writers';
import type { PayloadDocument } from '../../../runtime/mongo/documents';
import { payloadWriter } from '../../../runtime/mongo/payloads';

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

it('payloads that are put at the same time share commands of 2 MiB', async () => {
  const sizes: number[] = [];
  const collection = {
    insertMany: async (documents: PayloadDocument[]) => void sizes.push(documents.length),
    insertOne: async () => void sizes.push(1),
  } as unknown as Collection<PayloadDocument>;
  const put = payloadWriter(collection);
  await Promise.all(Array.from({ length: 20 }, (_, n) => put('a', `h${n}`, 'x'.repeat(200_000))));
  expect(sizes).toEqual([10, 10]);
  await put('a', 'h', 'x'.repeat(9 * 1024 * 1024));
  expect(sizes.slice(2)).toEqual([1, 1, 1]);
});
