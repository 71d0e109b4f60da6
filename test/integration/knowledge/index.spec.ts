import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '../../../lib/sqlite';
import type { Namespace } from '../../../lib/search/contract';
import { vectorStoreContract } from '../../contract/vector-store';
import { type IndexProcess, type IndexWorld, openIndexWorld } from '../../support/knowledge/index-world';

const ALL = { limit: 1_000, documents: null } as const;

let world: IndexWorld;
let one: IndexProcess;
let other: IndexProcess;

beforeAll(async () => {
  world = await openIndexWorld();
  one = world.open();
  other = world.open();
});
afterAll(() => world?.close());

describe('vectors in index files', () => {
  vectorStoreContract(async () => ({ store: one.vectors, other: other.vectors, close: async () => undefined }));

  it('are found where they need more memory than they may take', async () => {
    const small = world.open({ memoryBytes: 1 });
    const namespace = { ...namespaceOf(), generation: 0, dimension: 2 };
    await small.vectors.put(namespace, [
      { id: 'a', revision: 1, chunkNumbers: [0, 1], vectors: Float32Array.of(1, 0, 0, 1) },
    ]);
    const found = await small.vectors.search(namespace, Float32Array.of(0, 1), ALL);
    expect(found.map(({ n }) => n)).toEqual([1, 0]);
  });
});

describe('words in index files', () => {
  it('are found by every process once the change is acknowledged, and not once they are removed', async () => {
    const space = namespaceOf();
    await one.put(space, [doc('a', 1, ['apples and pears', 'plums']), doc('b', 1, ['pears']), doc('c', 1, ['a', 'b'])]);
    expect((await other.words.search(space, 'Pear', ALL)).map(placeOf)).toEqual(['b:1:0', 'a:1:0']);
    await other.put(space, [doc('a', 2, ['quinces'])]);
    expect(await one.words.search(space, 'plums', ALL)).toEqual([]);
    expect(await one.words.search(space, 'quince', { ...ALL, documents: new Set(['b']) })).toEqual([]);
    expect((await one.words.search(space, 'quince', { ...ALL, documents: new Set(['a']) })).map(placeOf)).toEqual([
      'a:2:0',
    ]);
    await other.remove(space, ['b']);
    expect(await one.words.search(space, 'pears', ALL)).toEqual([]);
    await one.words.removeAll(space);
    expect(await world.db.collection('knowledge_changes').countDocuments({ tenant_id: space.tenantId })).toBe(0);
  });

  it('are of one tenant and one base, in what is found and in how rare a word is', async () => {
    const space = namespaceOf();
    const foreign = [
      { ...space, tenantId: randomUUID() },
      { ...space, baseId: randomUUID() },
    ];
    const documents = [
      doc('a', 1, ['common rare']),
      doc('b', 1, ['common']),
      doc('c', 1, ['other']),
      doc('d', 1, ['other']),
    ];
    await one.put(space, documents);
    const before = await one.words.search(space, 'common rare', ALL);
    for (const each of foreign)
      await one.put(
        { ...each, baseId: randomUUID() },
        many(50, (n) => doc(`x${n}`, 1, ['rare'])),
      );
    expect(await one.words.search(space, 'common rare', ALL)).toEqual(before);
    expect(await one.words.search({ ...space, baseId: randomUUID() }, 'common', ALL)).toEqual([]);
  });

  it('are ranked after changes as in an index that was built at once', async () => {
    const [changed, fresh] = [namespaceOf(), namespaceOf()];
    await one.put(
      changed,
      many(40, (n) => doc(`d${n}`, 1, ['red green', 'green blue blue'])),
    );
    expect(await one.words.search(changed, 'red', ALL)).toHaveLength(40);
    await one.remove(
      changed,
      many(20, (n) => `d${n}`),
    );
    const last = many(20, (n) => doc(`d${n + 20}`, 2, n % 3 === 0 ? ['red', 'long text about blue'] : ['green walk']));
    await one.put(changed, last);
    await one.put(fresh, last);
    const query = 'red blue walking';
    const scores = async (space: Namespace) => (await one.words.search(space, query, ALL)).map(({ score }) => score);
    const wanted = await scores(fresh);
    expect(wanted.length).toBeGreaterThan(5);
    expect(await scores(changed)).toEqual(wanted.map((score) => expect.closeTo(score, 6)));
  });

  it.each([
    ['words of the query language', 'apple AND NOT pear OR NEAR(apple pear, 2)'],
    ['quotes and brackets', '"apple" ) ( "unclosed'],
    ['columns and prefixes', 'terms: apple* ^apple {terms}'],
    ['SQL', "apple'; DROP TABLE documents; --"],
    ['a NUL and control characters', 'apple\u0000\u0001 "'],
    ['very many words', `apple ${Array.from({ length: 3_000 }, (_, n) => `w${n}`).join(' ')}`],
    ['one very long word', `apple ${'x'.repeat(9_000)}`],
  ])('are searched by a question with %s', async (_what, question) => {
    const space = namespaceOf();
    await one.put(space, [doc('a', 1, ['apple']), doc('b', 1, ['pear']), doc('c', 1, ['plum'])]);
    expect((await one.words.search(space, question, ALL)).map(placeOf)).toContain('a:1:0');
    expect(await one.words.search(space, '…', ALL)).toEqual([]);
  });

  it('of a document without words are found by nothing', async () => {
    const space = namespaceOf();
    await one.put(space, [doc('empty', 1, [])]);
    expect(await one.words.search(space, 'anything', ALL)).toEqual([]);
  });
});

describe('an index file', () => {
  it('is used again after a restart, with what has changed meanwhile', async () => {
    const space = namespaceOf();
    const before = world.open();
    await before.put(space, [doc('a', 1, ['apple']), doc('b', 1, ['apple'])]);
    expect(await before.words.search(space, 'apple', ALL)).toHaveLength(2);
    await before.close();
    await one.put(space, [doc('c', 1, ['apple'])]);
    await one.remove(space, ['a']);
    // The index of the other process is up to date, so that what is loaded later is loaded by the one that restarts.
    expect(await one.words.search(space, 'apple', ALL)).toHaveLength(2);
    const after = world.open({ dir: before.dir });
    const loaded = jest.spyOn(world.texts, 'load');
    expect((await after.words.search(space, 'apple', ALL)).map(placeOf)).toEqual(['b:1:0', 'c:1:0']);
    expect(loaded.mock.calls.map(([, id]) => id)).toEqual(expect.not.arrayContaining(['b']));
    loaded.mockRestore();
  });

  it.each([
    ['is missing', (path: string) => rmSync(path)],
    ['is damaged', (path: string) => writeFileSync(path, 'this is no database'.repeat(1_000))],
    ['has another format', (path: string) => withDatabase(path, 'PRAGMA user_version = 999')],
  ])('is built again where it %s', async (_what, harm) => {
    const space = namespaceOf();
    const before = world.open();
    await before.put(space, [doc('a', 1, ['apple']), doc('b', 1, ['pear'])]);
    expect(await before.words.search(space, 'apple', ALL)).toHaveLength(1);
    await before.close();
    const folder = join(before.dir, '0');
    const files = readdirSync(folder).filter((each) => each.endsWith('.words'));
    expect(files).toHaveLength(1);
    for (const name of files) harm(join(folder, name));
    const after = world.open({ dir: before.dir });
    expect((await after.words.search(space, 'apple', ALL)).map(placeOf)).toEqual(['a:1:0']);
  });

  it('is compared with its source by every process when asked to', async () => {
    const space = namespaceOf();
    await one.put(space, [doc('a', 1, ['apple']), doc('b', 1, ['apple'])]);
    expect(await other.words.search(space, 'apple', ALL)).toHaveLength(2);
    // The log does not list these changes.
    world.texts.set(space, doc('a', 2, ['pear']));
    world.texts.delete(space, 'b');
    world.texts.set(space, doc('c', 1, ['apple']));
    await one.words.requestRebuild(space);
    expect((await other.words.search(space, 'apple', ALL)).map(placeOf)).toEqual(['c:1:0']);
  });

  it('follows more changes than the log lists', async () => {
    const space = namespaceOf();
    await one.put(space, [doc('first', 1, ['apple'])]);
    expect(await other.words.search(space, 'apple', ALL)).toHaveLength(1);
    await one.put(
      space,
      many(500, (n) => doc(`d${String(n).padStart(3, '0')}`, 1, ['apple'])),
    );
    expect(await other.words.search(space, 'apple', ALL)).toHaveLength(501);
  });

  it('is of one process: another one with the same data directory takes a folder of its own', async () => {
    const space = namespaceOf();
    const [first] = [world.open()];
    const second = world.open({ dir: first.dir });
    await first.put(space, [doc('a', 1, ['apple'])]);
    expect(await first.words.search(space, 'apple', ALL)).toHaveLength(1);
    expect(await second.words.search(space, 'apple', ALL)).toHaveLength(1);
    expect(readdirSync(first.dir).sort()).toEqual(['0', '1']);
  });
});

describe('an index that several processes change at once', () => {
  it('has all changes in every process', async () => {
    const space = namespaceOf();
    const processes = [one, other, world.open()];
    await Promise.all(
      processes.map(async (process, owner) => {
        for (let round = 1; round <= 20; round++) {
          await process.put(space, [doc(`${owner}-${round % 5}`, round, [`apple round${round}`])]);
          if (round % 7 === 0) await process.remove(space, [`${owner}-0`]);
          if (round % 3 === 0) await process.words.search(space, 'apple', ALL);
        }
      }),
    );
    const [wanted, ...others] = await Promise.all(
      processes.map(async (process) => (await process.words.search(space, 'apple', ALL)).map(placeOf).sort()),
    );
    expect(wanted?.slice(0, 3)).toEqual(['0-0:20:0', '0-1:16:0', '0-2:17:0']);
    expect(wanted).toHaveLength(15);
    for (const each of others) expect(each).toEqual(wanted);
  });
});

describe('the threads that search', () => {
  it('answer as the same code does in this thread, and give up what is aborted', async () => {
    const space = namespaceOf();
    const process = world.open();
    const vectors = { ...space, generation: 0, dimension: 2 };
    await process.put(space, [doc('a', 1, ['apple', 'pear']), doc('b', 1, ['plum']), doc('c', 1, ['plum'])]);
    await process.vectors.put(vectors, [{ id: 'a', revision: 1, chunkNumbers: [0], vectors: Float32Array.of(3, 4) }]);
    expect(await process.words.search(space, 'pears', ALL)).toEqual(await one.words.search(space, 'pears', ALL));
    const near = Float32Array.of(1, 1);
    expect(await process.vectors.search(vectors, near, ALL)).toEqual(await one.vectors.search(vectors, near, ALL));
    const aborted = process.words.search(space, 'pear', { ...ALL, signal: AbortSignal.abort(new Error('not needed')) });
    await expect(aborted).rejects.toThrow('not needed');
    await process.close();
    await expect(process.words.search(space, 'pear', ALL)).rejects.toThrow('does not answer');
    expect(process.warnings).toEqual([]);
  });
});

function withDatabase(path: string, statement: string): void {
  const db = new DatabaseSync(path);
  db.exec(statement);
  db.close();
}

const namespaceOf = (): Namespace => ({ tenantId: randomUUID(), baseId: randomUUID() });
const doc = (id: string, revision: number, texts: readonly string[]) => ({ id, revision, texts });
const many = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
const placeOf = ({ documentId, revision, n }: { documentId: string; revision: number; n: number }): string =>
  `${documentId}:${revision}:${n}`;
