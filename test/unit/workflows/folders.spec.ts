import { foldersOf, sortedNames } from '../../../services/workflows/folders';

async function* records(count: number) {
  for (let n = 0; n < count; n += 1) yield { folder: `f${n % 700}`, tags: ['all', `t${n % 3}`] };
  yield {};
}

test('folders and tags are counted, and sorted by name', async () => {
  const { folders, tags } = await foldersOf(records(2_100), 'tenant');
  expect(folders).toHaveLength(701);
  expect(folders.slice(0, 3)).toEqual([
    { folder: '', workflows: 1 },
    { folder: 'f0', workflows: 3 },
    { folder: 'f1', workflows: 3 },
  ]);
  expect(tags).toEqual([
    { tag: 'all', workflows: 2_100 },
    { tag: 't0', workflows: 700 },
    { tag: 't1', workflows: 700 },
    { tag: 't2', workflows: 700 },
  ]);
});

test('names are in the order of the language', async () => {
  expect(await sortedNames(['b', 'Z', 'ä', 'a', 'B'], 'tenant')).toEqual(['a', 'ä', 'b', 'B', 'Z']);
});
