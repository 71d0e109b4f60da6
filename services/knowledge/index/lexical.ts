import { ANALYZER_VERSION, termsOf } from './analysis/analyze';
import type { IndexHit, IndexSpace, LexicalIndex } from './contract';
import type { Tally } from './engine/calls';
import type { SegmentMachine } from './space/machine';
import { type Space, spaceOf } from './space/space';

/** More words of a question are not looked at: it is a text, and no question. */
const MOST_TERMS = 1_000;

/** Words of texts, ranked by BM25 over all living chunks of the base. */
export function createLexicalIndex(machine: SegmentMachine): LexicalIndex {
  // Texts cut by other rules are in an index of their own, which is empty until a sweep has put them there.
  const own = (space: IndexSpace): Space => spaceOf(space, { kind: 'lexical' }, ANALYZER_VERSION);
  return {
    async put(space, documents) {
      if (documents.length > 0) await machine.change(own(space), { kind: 'put', documents });
    },
    async remove(space, ids) {
      if (ids.length > 0) await machine.change(own(space), { kind: 'remove', ids });
    },
    removeAll: (space) => machine.drop(space, 'lexical'),
    async search(space, query, options): Promise<IndexHit[]> {
      const { limit, documents, signal } = options;
      const terms = [...new Set(termsOf(query))].slice(0, MOST_TERMS);
      if (terms.length === 0 || limit < 1) return [];
      return machine.search(
        own(space),
        options,
        async (groups) => {
          const tallies: Tally[] = [];
          for (const within of groups)
            tallies.push(await within((engine, view) => engine.ask('tally', { view, terms }, signal)));
          return tallies.reduce(sum, { rows: 0, length: 0, frequencies: terms.map(() => 0) });
        },
        (engine, view, tally) => engine.ask('rank', { view, terms, tally, limit, documents }, signal),
      );
    },
    documents: (space, after, limit) => machine.documents(own(space), after, limit),
  };
}

const sum = (a: Tally, b: Tally): Tally => ({
  rows: a.rows + b.rows,
  length: a.length + b.length,
  frequencies: a.frequencies.map((frequency, n) => frequency + (b.frequencies[n] as number)),
});
