import type { IndexHit, WordRows } from './contract';
import type { IndexFile, RowStore } from './index-file';
import { questionTerms, termsOf } from './terms';

/**
 * Terms are computed here, so FTS5 only splits them at blanks. The terms are stored with the index: without them, its
 * statistics would include deleted rows.
 */
export const WORDS: RowStore<WordRows> = {
  tables: `
    CREATE TABLE chunks(id INTEGER PRIMARY KEY, document INTEGER NOT NULL, n INTEGER NOT NULL);
    CREATE INDEX chunks_document ON chunks(document);
    CREATE VIRTUAL TABLE words USING fts5(terms, tokenize = "ascii tokenchars '._'");`,
  insert(file, id, { chunks }) {
    for (const { n, text } of chunks) {
      const { lastInsertRowid } = file.sql('INSERT INTO chunks(document, n) VALUES (?, ?)').run(id, n);
      file.sql('INSERT INTO words(rowid, terms) VALUES (?, ?)').run(lastInsertRowid, termsOf(text).join(' '));
    }
  },
  remove(file, which, ...values) {
    file.sql(`DELETE FROM words WHERE rowid IN (SELECT id FROM chunks WHERE ${which})`).run(...values);
    file.sql(`DELETE FROM chunks WHERE ${which}`).run(...values);
  },
};

/** Maximum distinct terms of a query. */
const MAX_TERMS = 64;
/** Maximum rows a query may visit. Common terms are dropped above it. */
const MAX_POSTINGS = 200_000;
/** Rows of a term are counted up to here; a term with more counts as being in all rows. */
const MAX_COUNTED = 25_000;

/** The best chunks by BM25, with the statistics of the file (one base). `documents`: ids as JSON, or null for all. */
export function searchWords(file: IndexFile, query: string, limit: number, documents: string | null): IndexHit[] {
  const terms = searchedTerms(file, query);
  if (terms.length === 0 || limit < 1) return [];
  const match = terms.map(quoted).join(' OR ');
  // The unary plus keeps FTS5 from running the query once per row id.
  const among =
    documents === null
      ? ''
      : `AND +rowid IN (SELECT c.id FROM documents d JOIN chunks c ON c.document = d.id
                        WHERE d.document IN (SELECT value FROM json_each(?)))`;
  return file.rows<IndexHit>(
    `SELECT d.document AS documentId, d.revision, c.n, -best.rank AS score
     FROM (SELECT rowid, rank FROM words WHERE words MATCH ? ${among} ORDER BY rank LIMIT ?) best
     JOIN chunks c ON c.id = best.rowid JOIN documents d ON d.id = c.document`,
    ...[match, ...(documents === null ? [] : [documents]), limit],
  );
}

/** Quotes terms: FTS5 would parse them as its query language. */
const quoted = (term: string): string => `"${term.replaceAll('"', '""')}"`;

/** The rarest terms of a query, up to the maximum. */
function searchedTerms(file: IndexFile, query: string): string[] {
  const terms = questionTerms(query).slice(0, MAX_TERMS);
  const { rows } = file.row<{ rows: number }>('SELECT count(*) AS rows FROM chunks') as { rows: number };
  if (terms.length * rows <= MAX_POSTINGS) return terms;
  const counted = terms.map((term) => {
    const count = 'SELECT count(*) AS count FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)';
    const found = file.row<{ count: number }>(count, quoted(term), MAX_COUNTED)?.count ?? 0;
    return { term, count: found < MAX_COUNTED ? found : rows };
  });
  let postings = 0;
  return counted
    .filter(({ count }) => count > 0)
    .sort((a, b) => a.count - b.count)
    .filter(({ count }, at) => (postings += count) <= MAX_POSTINGS || at === 0)
    .map(({ term }) => term);
}
