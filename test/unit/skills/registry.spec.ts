import {
  currentOf,
  decidePublication,
  type PublishedVersion,
  withdraw,
  withVersion,
} from '../../../services/skills/rules/publication';
import { keywordsOf, queryWords, scoreOf, wordsOf } from '../../../services/skills/rules/words';

const version = (text: string, hash: string, more: Partial<PublishedVersion> = {}): PublishedVersion => ({
  version: text,
  hash,
  bytes: 1,
  notes: null,
  published_at: '2026-01-01T00:00:00.000Z',
  withdrawn_at: null,
  ...more,
});
const gone = { withdrawn_at: '2026-01-02T00:00:00.000Z' };

describe('the version of a publication', () => {
  test.each<[string, PublishedVersion[], { hash: string; own: string | null }, object, object]>([
    ['is 1.0.0 at first', [], { hash: 'a', own: null }, {}, { kind: 'new', version: '1.0.0' }],
    ['is what the definition says at first', [], { hash: 'a', own: '0.3.0' }, {}, { kind: 'new', version: '0.3.0' }],
    [
      'is that one, whatever else is asked for, at first',
      [],
      { hash: 'a', own: '0.3.0' },
      { bump: 'major' },
      { kind: 'new', version: '0.3.0' },
    ],
    ['is what is asked for', [], { hash: 'a', own: '0.3.0' }, { version: '2.1' }, { kind: 'new', version: '2.1.0' }],
    ['is the next patch', [version('1.0.0', 'a')], { hash: 'b', own: '1.0.0' }, {}, { kind: 'new', version: '1.0.1' }],
    [
      'is the next minor',
      [version('1.0.1', 'a')],
      { hash: 'b', own: null },
      { bump: 'minor' },
      { kind: 'new', version: '1.1.0' },
    ],
    [
      'is the newer one of the definition',
      [version('1.0.0', 'a')],
      { hash: 'b', own: '3.0.0' },
      {},
      { kind: 'new', version: '3.0.0' },
    ],
    [
      'may be of an older line',
      [version('2.0.0', 'a')],
      { hash: 'b', own: null },
      { version: '1.5.0' },
      { kind: 'new', version: '1.5.0' },
    ],
    [
      'goes on after one that is withdrawn',
      [version('1.0.0', 'a', gone)],
      { hash: 'b', own: null },
      {},
      { kind: 'new', version: '1.0.1' },
    ],
    [
      'stays for the same content',
      [version('1.0.0', 'a')],
      { hash: 'a', own: '1.0.0' },
      {},
      { kind: 'existing', version: '1.0.0' },
    ],
    [
      'comes back with the same content',
      [version('1.0.0', 'a', gone)],
      { hash: 'a', own: null },
      { version: '1.0.0' },
      { kind: 'existing', version: '1.0.0' },
    ],
    [
      'never has another content',
      [version('1.0.0', 'a')],
      { hash: 'b', own: null },
      { version: '1.0.0' },
      { kind: 'refused', code: 'conflict' },
    ],
    [
      'is not used again once withdrawn',
      [version('1.0.0', 'a', gone)],
      { hash: 'b', own: null },
      { version: '1.0.0' },
      { kind: 'refused', code: 'conflict' },
    ],
    [
      'is never bumped to what is none',
      [version('999999999.0.0', 'a')],
      { hash: 'b', own: null },
      { bump: 'major' },
      { kind: 'refused', code: 'conflict' },
    ],
    ['must be one', [], { hash: 'a', own: null }, { version: 'newest' }, { kind: 'refused', code: 'invalid_request' }],
    [
      'is given or bumped',
      [],
      { hash: 'a', own: null },
      { version: '1.0.0', bump: 'major' },
      { kind: 'refused', code: 'invalid_request' },
    ],
  ])('%s', (_title, versions, content, asked, decision) => {
    expect(decidePublication(versions, content, asked)).toMatchObject(decision);
  });

  test('defaults to the newest release, or to a pre-release if there is no release', () => {
    expect(currentOf([])).toBeNull();
    expect(currentOf([version('2.0.0-rc.1', 'c'), version('1.0.0', 'a'), version('1.1.0', 'b')])?.version).toBe(
      '1.1.0',
    );
    expect(currentOf([version('2.0.0-rc.1', 'c'), version('1.0.0', 'a', gone)])?.version).toBe('2.0.0-rc.1');
    expect(currentOf([version('1.0.0', 'a', gone)])).toBeNull();
  });

  test('is withdrawn alone or with all others, stays stored, and can be restored', () => {
    const all = [version('1.0.0', 'a'), version('1.1.0', 'b', gone)];
    expect(withdraw(all, '1.0.0', 'now').map(({ withdrawn_at }) => withdrawn_at)).toEqual(['now', gone.withdrawn_at]);
    expect(withdraw(all, null, 'now').map(({ withdrawn_at }) => withdrawn_at)).toEqual(['now', gone.withdrawn_at]);
    expect(withdraw(all, '9.9.9', 'now')).toEqual(all);
    const back = withVersion(all, version('1.1.0', 'b', { published_at: 'later' }));
    expect(back).toEqual([version('1.0.0', 'a'), version('1.1.0', 'b')]);
  });
});

describe('looking for a skill', () => {
  const skill = (name: string, description: string, instructions = '', keywords = '') =>
    wordsOf({ head: { name, description, metadata: { keywords } }, instructions });
  const shelf = new Map([
    ['pdf-forms', skill('pdf-forms', 'Fills the forms of a document.', 'Open the pdf. Fill it.')],
    ['invoices', skill('invoices', 'Reads invoices that come as PDF.', 'Extract the total.')],
    ['tables', skill('tables', 'Reads tables.', 'From a PDF or a sheet.', 'excel, spreadsheet')],
    ['translate', skill('translate', 'Übersetzt Texte und Verträge.', 'In German.')],
    ['kanji', skill('kanji', '日本語の文書を要約する', '')],
    ['summaries', skill('summaries', 'Summarises long texts.', 'Write a summary of each chapter.')],
  ]);
  const ranked = (query: string): string[] => {
    const asked = queryWords(query);
    const having = new Map(
      asked.map((word) => [word, [...shelf.values()].filter(({ words }) => words.includes(word)).length]),
    );
    return [...shelf]
      .map(([name, words]) => ({ name, score: scoreOf(words, asked, { total: shelf.size, documentCounts: having }) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .map(({ name }) => name);
  };

  test.each([
    ['pdf', ['pdf-forms', 'invoices', 'tables']],
    ['filling form', ['pdf-forms']],
    ['PDF Invoice', ['invoices', 'pdf-forms', 'tables']],
    ['spreadsheets', ['tables']],
    ['ubersetzt vertrage', ['translate']],
    ['日本語', ['kanji']],
    ['要約', ['kanji']],
    ['summary', ['summaries']],
    ['nothing of that', []],
    ['', []],
    ['!!!', []],
  ])('%j finds %j', (query, names) => expect(ranked(query)).toEqual(names));

  test('truncates a long query', () => {
    expect(queryWords('x y '.repeat(10_000)).length).toBeLessThanOrEqual(12);
    expect(queryWords('a'.repeat(100_000))).toHaveLength(1);
  });

  test('reads a long skill within limits', () => {
    const many = wordsOf({
      head: { name: 'a', description: 'b', metadata: {} },
      instructions: Array.from({ length: 50_000 }, (_, n) => `word${n}`).join(' '),
    });
    expect(many.words.length).toBeLessThanOrEqual(310);
    expect(many.words).toHaveLength(many.weights.length);
  });

  test('uses keywords of the metadata, but no inherited properties', () => {
    expect(keywordsOf({ keywords: 'a, b;c', tags: 'd a' })).toEqual(['a', 'b', 'c', 'd']);
    expect(keywordsOf(JSON.parse('{"__proto__":"x"}') as Record<string, string>)).toEqual([]);
  });
});
