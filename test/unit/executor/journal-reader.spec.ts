import type { Entry, JournalRecord } from '../../../runtime/core/entries/entry';
import type { Collections } from '../../../runtime/mongo/collections';
import { JournalReader } from '../../../services/executor/journal-reader';

const skipped = (path: string): Entry => ({ kind: 'step.skipped', path, at: 1 });
const record = (n: number, before: number, paths: string[]): JournalRecord => ({
  executionId: 'run',
  n,
  epoch: 1,
  host: 'host',
  at: 1,
  before,
  json: JSON.stringify(paths.map(skipped)),
});

function journalOf(records: JournalRecord[]) {
  const asked: number[] = [];
  const journals = new JournalReader(
    {
      journal: async (_id, from = 0) => {
        asked.push(from);
        return records.filter(({ n }) => n >= from);
      },
      getPayloads: async () => new Map(),
    },
    // Not read here.
    {} as Pick<Collections, 'journal' | 'executions'>,
    () => 0,
  );
  const paths = async (position: number) =>
    (await journals.entriesAfter('run', position)).entries.map((entry) => ('path' in entry ? entry.path : ''));
  return { asked, paths };
}

describe('reading a history from a position', () => {
  it('returns the entries after a position, also within a record', async () => {
    const { paths } = journalOf([record(1, 0, ['a', 'b']), record(2, 2, ['c'])]);
    expect(await paths(0)).toEqual(['a', 'b', 'c']);
    expect(await paths(1)).toEqual(['b', 'c']);
    expect(await paths(3)).toEqual([]);
    expect(await paths(9)).toEqual([]);
  });

  it('requests only records that a returning reader has not received', async () => {
    const records = [record(1, 0, ['a', 'b'])];
    const { asked, paths } = journalOf(records);
    expect(await paths(0)).toEqual(['a', 'b']);
    expect(await paths(2)).toEqual([]);
    records.push(record(2, 2, ['c', 'd']));
    expect(await paths(2)).toEqual(['c', 'd']);
    expect(await paths(4)).toEqual([]);
    expect(asked).toEqual([0, 2, 2, 3]);
  });
});
