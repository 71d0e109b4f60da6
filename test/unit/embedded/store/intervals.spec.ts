import * as fc from 'fast-check';
import { encode } from '../../../../embedded/bson/encode';
import type { Doc, Value } from '../../../../embedded/bson/value';
import { analyze, compileFilter } from '../../../../embedded/query/matcher';
import { indexEntries } from '../../../../embedded/store/index-keys';
import { checkIndexSpec, indexOf } from '../../../../embedded/store/index-spec';
import { indexBounds } from '../../../../embedded/store/intervals';
import { anyValue } from './values';

const small = fc.oneof(fc.integer({ min: 0, max: 4 }), fc.constantFrom<Value>('x', 'y', null), anyValue);
const direction = fc.constantFrom(1, -1);
const operator = fc.constantFrom('$gt', '$gte', '$lt', '$lte', '$eq');

const condition = fc.oneof(
  small,
  fc.tuple(operator, small).map(([name, value]): Value => new Map([[name, value]])),
  fc.array(small, { minLength: 1, maxLength: 3 }).map((values): Value => new Map([['$in', values]])),
);

const filters = fc.record({ a: condition, b: condition }).map(
  ({ a, b }): Doc =>
    new Map([
      ['a', a],
      ['b', b],
    ]),
);
const documents = fc.record({ a: small, b: small }).map(
  ({ a, b }): Doc =>
    new Map([
      ['a', a],
      ['b', b],
    ]),
);

test('a matching document is within the intervals of its filter', () => {
  fc.assert(
    fc.property(filters, documents, direction, direction, (filter, document, first, second) => {
      let matches: (document: Doc) => boolean;
      try {
        matches = compileFilter(filter);
      } catch {
        // A generated document may read as a bad operator; such filters never reach the planner.
        return;
      }
      if (!matches(document)) return;
      const spec = checkIndexSpec(
        new Map<string, Value>([
          [
            'key',
            new Map([
              ['a', first],
              ['b', second],
            ]),
          ],
          ['name', 'i'],
        ]),
      );
      const index = indexOf(9, spec);
      const { keys, arrays } = parallel(() => indexEntries(index, encode(document)));
      if (keys.length === 0) return;
      const { bounds } = analyze(filter);
      const usable = index.fields.map(({ path }, i) =>
        arrays?.[i] === true
          ? bounds.filter((bound) => bound.path === path).slice(0, 1)
          : bounds.filter((bound) => bound.path === path),
      );
      const { intervals } = indexBounds(index, usable);
      const inside = keys.some((key) =>
        intervals.some(({ start, end }) => start.compare(key) <= 0 && key.compare(end) < 0),
      );
      expect(inside).toBe(true);
    }),
    { numRuns: 4_000 },
  );
});

/** Two arrays in one document cannot be indexed together; such documents are refused before they are stored. */
function parallel<T extends { keys: readonly Buffer[] }>(
  make: () => T,
): T | { keys: readonly Buffer[]; arrays?: undefined } {
  try {
    return make();
  } catch (error) {
    expect((error as { code: number }).code).toBe(171);
    return { keys: [] };
  }
}
