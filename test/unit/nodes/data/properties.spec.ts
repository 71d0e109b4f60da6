import fc from 'fast-check';
import type { Json, JsonObject } from '../../../../lib/json';
import { aggregateNode } from '../../../../nodes/data/aggregate';
import { csvNode } from '../../../../nodes/data/csv';
import { dedupeNode } from '../../../../nodes/data/dedupe';
import { filterNode } from '../../../../nodes/data/filter';
import { htmlExtractNode } from '../../../../nodes/data/html-extract';
import { jsonNode } from '../../../../nodes/data/json';
import { markdownNode } from '../../../../nodes/data/markdown';
import { sortNode } from '../../../../nodes/data/sort';
import { xmlNode } from '../../../../nodes/data/xml';
import { outputOf } from './run';

/** Keys that hurt where they are not treated as plain names. */
const key = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'a', 'b', 'a.b', '0', ''),
);
const scalar = fc.oneof(
  fc.string({ maxLength: 12, unit: 'binary' }),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0),
  fc.boolean(),
  fc.constant(null),
);
const { value: anyJson } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map((pairs) => fromPairs(pairs)),
  ),
}));

/** Own members, whatever they are called. */
const fromPairs = <T extends Json>(pairs: readonly (readonly [string, T])[]): JsonObject =>
  JSON.parse(`{${pairs.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`);

describe('json', () => {
  test('written values are read back', () => {
    fc.assert(
      fc.property(anyJson, fc.integer({ min: 0, max: 10 }), fc.boolean(), (value, indent, sort_keys) => {
        const { text } = outputOf(jsonNode, { operation: 'stringify', value, indent, sort_keys });
        expect(outputOf(jsonNode, { operation: 'parse', text: text as string })).toEqual({
          value: JSON.parse(JSON.stringify(value)),
        });
      }),
    );
  });

  test('picked and omitted members together are the object', () => {
    const object = fc.array(fc.tuple(fc.constantFrom('a', 'b', '__proto__', 'c'), anyJson)).map(fromPairs);
    fc.assert(
      fc.property(object, (value) => {
        const fields = ['a', '__proto__'];
        const picked = outputOf(jsonNode, { operation: 'pick', value, fields }).value as Json;
        const left = outputOf(jsonNode, { operation: 'omit', value, fields }).value as Json;
        expect(outputOf(jsonNode, { operation: 'merge', values: [picked, left] })).toEqual({ value });
      }),
    );
  });

  test('a merge with an empty object changes nothing, deep or shallow', () => {
    const object = fc.array(fc.tuple(key, anyJson)).map(fromPairs);
    fc.assert(
      fc.property(object, fc.boolean(), (value, deep) => {
        expect(outputOf(jsonNode, { operation: 'merge', deep, values: [{}, value, {}, value] })).toEqual({ value });
      }),
    );
  });
});

describe('csv', () => {
  const dialect = fc.record({
    delimiter: fc.constantFrom(',', ';', '\t', '|', ']', '^', '-', ' '),
    quote: fc.constantFrom('"', "'"),
    line_end: fc.constantFrom('lf', 'crlf'),
  });
  const cell = fc.oneof(
    fc.string({ maxLength: 8 }),
    fc.constantFrom('"', "''", '\n', '\r', '\r\n', '\ufeff', ',', ' ;'),
  );

  test('lists of cells are read back', () => {
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 1, maxLength: 5 })), dialect, (rows, how) => {
        const { text } = outputOf(csvNode, { operation: 'stringify', rows, header: false, ...how });
        const { line_end: _, ...reading } = how;
        expect(outputOf(csvNode, { operation: 'parse', text: text as string, header: false, ...reading })).toEqual({
          rows,
          count: rows.length,
        });
      }),
    );
  });

  test('objects are read back by column names', () => {
    const names = fc.uniqueArray(
      fc.oneof(key, cell).filter((name) => name !== ''),
      { minLength: 1, maxLength: 5 },
    );
    const table = names.chain((columns) =>
      fc.array(fc.tuple(...columns.map((name) => cell.map((text) => [name, text] as const))).map(fromPairs), {
        minLength: 1,
      }),
    );
    fc.assert(
      fc.property(table, dialect, (rows, { line_end: _, ...how }) => {
        const { text } = outputOf(csvNode, { operation: 'stringify', rows, ...how });
        expect(outputOf(csvNode, { operation: 'parse', text: text as string, ...how }).rows).toEqual(rows);
      }),
    );
  });
});

describe('xml', () => {
  const name = fc.constantFrom('a', 'b', 'ns:c', '__proto__', 'constructor', 'é', '_x-1.y');
  const text = fc
    .string({ maxLength: 10, unit: fc.constantFrom('a', ' ', '<', '&', '>', '"', "'", ']', '\n', '\r', '\t', '🌍') })
    .map((piece) => `x${piece}x`);
  const { element } = fc.letrec<{ element: Json }>((tie) => ({
    element: fc.oneof(
      { maxDepth: 3 },
      text,
      fc
        .tuple(
          fc.uniqueArray(name, { maxLength: 2 }),
          text,
          fc.uniqueArray(name, { minLength: 1, maxLength: 3 }),
          fc.array(fc.array(tie('element'), { minLength: 1, maxLength: 3 }), { minLength: 3, maxLength: 3 }),
        )
        .map(([attributes, value, names, children]) =>
          fromPairs([
            ...attributes.map((one): [string, Json] => [`@${one}`, value]),
            ...names.map((one, index): [string, Json] => {
              const list = children[index] as Json[];
              return [one, list.length === 1 ? (list[0] as Json) : list];
            }),
          ]),
        ),
    ),
  }));

  test('written values are read back, indented or not', () => {
    fc.assert(
      fc.property(name, element, fc.boolean(), fc.constantFrom(0, 2), (root, inner, declaration, indent) => {
        const value = fromPairs([[root, inner]]);
        const built = outputOf(xmlNode, { operation: 'build', value, declaration, indent }).text as string;
        expect(outputOf(xmlNode, { operation: 'parse', text: built, trim: false })).toEqual({ value });
      }),
    );
  });
});

describe('lists', () => {
  const item = fc.record({ n: fc.oneof(scalar, fc.integer({ max: 3, min: 0 })), id: fc.nat() });
  const items = fc.array(item, { maxLength: 30 });

  test('sorting keeps every item, and is ordered and stable', () => {
    fc.assert(
      fc.property(items, fc.constantFrom('asc', 'desc'), (given, direction) => {
        const numbered = given.map((one, index) => ({ ...one, id: index }));
        const sorted = outputOf(sortNode, { items: numbered, by: [{ field: 'n', direction }] })
          .items as typeof numbered;
        expect([...sorted].sort((a, b) => a.id - b.id)).toEqual(numbered);
        for (const [index, one] of sorted.entries()) {
          const next = sorted[index + 1];
          if (next !== undefined && next.n === one.n) expect(next.id).toBeGreaterThan(one.id);
        }
        const again = outputOf(sortNode, { items: sorted, by: [{ field: 'n', direction }] }).items;
        expect(again).toEqual(sorted);
      }),
    );
  });

  test('removing duplicates keeps the first or the last of equal items', () => {
    fc.assert(
      fc.property(items, fc.constantFrom('first', 'last'), (given, keep) => {
        const { items: kept, dropped } = outputOf(dedupeNode, { items: given, by: ['n'], keep });
        const kinds = (kept as typeof given).map(({ n }) => JSON.stringify(n));
        expect(new Set(kinds).size).toBe(kinds.length);
        expect(kinds.length + (dropped as number)).toBe(given.length);
        for (const one of kept as typeof given) {
          const alike = given.filter(({ n }) => JSON.stringify(n) === JSON.stringify(one.n));
          expect(one).toEqual(alike.at(keep === 'first' ? 0 : -1));
        }
        expect(outputOf(dedupeNode, { items: kept as Json, by: ['n'], keep }).items).toEqual(kept);
      }),
    );
  });

  test('a condition and its negation divide a list', () => {
    const opposites = fc.constantFrom(
      ['equals', 'not_equals'],
      ['contains', 'not_contains'],
      ['in', 'not_in'],
      ['exists', 'not_exists'],
      ['empty', 'not_empty'],
      ['matches', 'not_matches'],
    );
    fc.assert(
      fc.property(fc.array(anyJson, { maxLength: 15 }), opposites, (given, pair) => {
        const [yes, no] = pair.map(
          (operator) =>
            outputOf(filterNode, {
              items: given,
              conditions: [{ operator, value: operator.endsWith('in') ? ['a', 1, null] : 'a' }],
            }).items as Json[],
        );
        expect((yes as Json[]).length + (no as Json[]).length).toBe(given.length);
        for (const one of yes as Json[]) expect(given).toContain(one);
      }),
    );
  });

  test('groups have every item once, and their sums add up', () => {
    const rows = fc.array(
      fc.record({ k: fc.constantFrom('a', 'b', '__proto__'), n: fc.integer({ min: -99, max: 99 }) }),
    );
    fc.assert(
      fc.property(rows, (given) => {
        const operations = [{ name: 'sum', operation: 'sum', field: 'n' }];
        const whole = outputOf(aggregateNode, { items: given, operations }).values as { sum: number };
        const groups = outputOf(aggregateNode, { items: given, operations, group_by: ['k'] }).groups as {
          count: number;
          values: { sum: number };
        }[];
        expect(groups.reduce((sum, { values }) => sum + values.sum, 0)).toBe(whole.sum);
        expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(given.length);
      }),
    );
  });
});

describe('markdown', () => {
  const words = fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom(...'ab *_`[]()<>#&;!\\~|-+=.1:$"\'') });
  const escaped = words.map((text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'));
  const { html } = fc.letrec<{ html: string }>((tie) => ({
    html: fc.oneof(
      { maxDepth: 3 },
      escaped,
      fc.constantFrom('<br>', '<hr>'),
      fc.tuple(fc.constantFrom('code', 'pre'), escaped).map(([name, inner]) => `<${name}>${inner}</${name}>`),
      fc.array(fc.array(tie('html'), { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 2 }).map((rows) => {
        const cells = rows.map((row) => row.map((cell) => `<td>${cell}</td>`).join(''));
        return `<table>${cells.map((row) => `<tr>${row}</tr>`).join('')}</table>`;
      }),
      fc
        .tuple(fc.constantFrom('p', 'div', 'h2', 'blockquote', 'span', 'u'), fc.array(tie('html'), { maxLength: 3 }))
        .map(([name, inner]) => `<${name}>${inner.join('')}</${name}>`),
      fc
        .tuple(fc.constantFrom('ul', 'ol'), fc.array(tie('html'), { minLength: 1, maxLength: 3 }))
        .map(([name, inner]) => `<${name}>${inner.map((one) => `<li>${one}</li>`).join('')}</${name}>`),
    ),
  }));
  /** What people read, white space aside. */
  const seen = (page: string): string =>
    (
      outputOf(htmlExtractNode, { html: `<main>${page}</main>`, selectors: { x: { selector: 'main' } } }).x as string
    ).replace(/\s+/g, '');

  test('no text is lost, added or interpreted as Markdown when HTML is converted to Markdown and back', () => {
    fc.assert(
      fc.property(html, (page) => {
        const { text } = outputOf(markdownNode, { operation: 'from_html', html: page });
        const back = outputOf(markdownNode, { operation: 'to_html', text: text as string }).html as string;
        expect(seen(back)).toBe(seen(page));
      }),
      { numRuns: 500 },
    );
  });
});
