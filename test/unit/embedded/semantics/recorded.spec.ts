import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compilePipeline } from '../../../../embedded/aggregate/pipeline';
import { encode } from '../../../../embedded/bson/encode';
import { ServerError } from '../../../../embedded/bson/error';
import { type Doc, Timestamp, type Value } from '../../../../embedded/bson/value';
import { compileFilter, compileRawFilter } from '../../../../embedded/query/matcher';
import { compileSort } from '../../../../embedded/query/sort';
import { compileUpdate } from '../../../../embedded/update/update';
import { afterUpdate, docFromEjson, fromEjson, toEjson } from './bridge';

/** Answers recorded from MongoDB's own engine; absent in a bare checkout. */
const CONFORMANCE = process.env.MONGO_CONFORMANCE ?? join(process.cwd(), '../shared/conformance/mongodb');
const FILE = join(CONFORMANCE, 'real-engine/mongo-semantics.json');

interface Recorded {
  query: { docs: unknown[]; cases: { filter: unknown; ids: string }[]; sortAsc: unknown[]; sortDesc: unknown[] };
  update: { doc: unknown; cases: (Outcome & { filter: unknown; update: unknown; arrayFilters: unknown })[] };
  expr: { docs: unknown[]; cases: (Outcome & { name: string; pipeline: unknown[] })[] };
  stage: { cases: (Outcome & { pipeline: unknown[] })[] };
}

interface Outcome {
  result?: unknown;
  errorCode?: { $numberInt: string };
}

/** Stages and operators that the store does not have, and refuses: the rest must agree. */
const REFUSED =
  /"\$(?:strLenBytes|dateToParts|zip|maxN|unionWith|setWindowFields|redact|percentile|topN|stdDevPop|graphLookup|densify|bucket)"|"\$lookup":\{[^}]*"let"/;

const NOW = new Date(0);
const text = (json: unknown): string => JSON.stringify(json);

/** Runs the case and gives its answer, or the code of its refusal. */
function answer(run: () => Value): string {
  try {
    return toEjson(run());
  } catch (error) {
    if (error instanceof ServerError) return `error ${error.code}`;
    throw error;
  }
}

const expected = ({ result, errorCode }: Outcome): string =>
  errorCode === undefined ? toEjson(fromEjson(result)) : `error ${errorCode.$numberInt}`;

if (existsSync(FILE)) recordedCases(JSON.parse(readFileSync(FILE, 'utf8')) as Recorded);
else {
  console.warn(`SKIPPED: the 502 recorded answers of MongoDB are not at ${FILE} (set MONGO_CONFORMANCE)`);
  test('skipped: the recorded answers are not here', () => expect(existsSync(FILE)).toBe(false));
}

function recordedCases(recorded: Recorded): void {
  const documents = recorded.query.docs.map(docFromEjson);
  // The recording prints this document's int64 5 as an int32; the recorded answers to $type long and int show what was stored.
  const long = documents.find((document) => document.get('_id') === 35);
  if (long?.get('a') === 5) long.set('a', 5n);
  const idsOf = (matches: (document: Doc) => boolean): string =>
    documents
      .filter(matches)
      .map((document) => document.get('_id'))
      .join();

  describe('filters select the documents that MongoDB selects', () => {
    test.each(recorded.query.cases.map((entry) => [text(entry.filter), entry] as const))('%s', (_, { filter, ids }) => {
      const parsed = docFromEjson(filter);
      expect(idsOf(compileFilter(parsed))).toBe(ids);
      const raw = compileRawFilter(parsed);
      expect(idsOf((document) => raw(encode(document)))).toBe(ids);
    });
  });

  describe('sorts order mixed types as MongoDB does', () => {
    test.each([
      [1, recorded.query.sortAsc],
      [-1, recorded.query.sortDesc],
    ] as const)('{a: %d}', (direction, ids) => {
      const sorted = [...documents].sort(compileSort(new Map([['a', direction]])));
      expect(toEjson(sorted.map((document) => document.get('_id') as Value))).toBe(toEjson(fromEjson(ids)));
    });
  });

  describe('updates leave the document that MongoDB leaves', () => {
    test.each(recorded.update.cases.map((entry) => [text([entry.filter, entry.update]), entry] as const))(
      '%s',
      (_, entry) => {
        const before = docFromEjson(recorded.update.doc);
        const untouched = toEjson(before);
        const outcome = answer(() => {
          const arrayFilters = entry.arrayFilters === null ? undefined : (fromEjson(entry.arrayFilters) as Value[]);
          const update = compileUpdate(fromEjson(entry.update) as Doc, { arrayFilters });
          return afterUpdate(update, before, {
            isInsert: false,
            filter: docFromEjson(entry.filter),
            now: NOW,
            clusterTime: new Timestamp(1n),
          });
        });
        expect(outcome).toBe(expected(entry));
        expect(toEjson(before)).toBe(untouched);
      },
    );
  });

  const input = recorded.expr.docs.map(docFromEjson);
  const aggregate = (pipeline: readonly unknown[]): Value => {
    const stages = pipeline.map(fromEjson);
    return [...compilePipeline(stages, { now: NOW, collection: () => input }).run(input)];
  };

  describe('expressions give the values that MongoDB gives', () => {
    const cases = recorded.expr.cases.filter(({ pipeline }) => !REFUSED.test(text(pipeline)));
    test.each(cases.map((entry) => [entry.name, entry] as const))('%s', (_, entry) => {
      expect(answer(() => aggregate(entry.pipeline))).toBe(expected(entry));
    });
  });

  describe('pipelines give the documents that MongoDB gives', () => {
    const cases = recorded.stage.cases.filter(({ pipeline }) => !REFUSED.test(text(pipeline)));
    test.each(cases.map((entry) => [text(entry.pipeline), entry] as const))('%s', (_, entry) => {
      expect(answer(() => aggregate(entry.pipeline))).toBe(expected(entry));
    });
  });

  describe('pipelines with unsupported features are refused', () => {
    const pipelines = [...recorded.expr.cases, ...recorded.stage.cases].map(({ pipeline }) => pipeline);
    test.each(
      pipelines.filter((pipeline) => REFUSED.test(text(pipeline))).map((pipeline) => [text(pipeline), pipeline]),
    )('%s', (_, pipeline) => {
      expect(() => aggregate(pipeline as unknown[])).toThrow(/the built-in store/i);
    });
  });
}
