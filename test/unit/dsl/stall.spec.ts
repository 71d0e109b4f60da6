import { compileSliced, prepareSliced, validateDocumentSliced } from '../../../dsl';
import type { JsonObject } from '../../../lib/json';
import { STALL_MS, stallMs } from '../../support/stall';
import { document, nodeTypes, step } from './support/documents';

const many = <T>(length: number, make: (n: number) => T): T[] => Array.from({ length }, (_, n) => make(n));
const NAME = 'a'.repeat(50);
const SUM = `{{ ${many(90, (n) => `trigger.a${n}`).join(' + ')} }}`;

/** Documents that are made to take long. */
const HOSTILE: readonly (readonly [string, JsonObject])[] = [
  ['110,000 steps of unknown types', document(many(110_000, (n) => ({ id: `s${n}`, type: 'sett' })))],
  [
    '500 steps that use unknown steps',
    document(many(500, (n) => step(`${NAME}${n}`, { config: { a: `{{ steps.${NAME}b${n}.x }}` } }))),
  ],
  [
    '500 steps that need as many unknown steps',
    document(many(200, (n) => step(`${NAME}${n}`, { config: {}, needs: many(499, (k) => `${NAME}z${k}`) }))),
  ],
  [
    'long expressions in every step',
    document(many(40, (n) => step(`s${n}`, { config: { list: Array(5).fill(SUM) } }))),
  ],
  [
    'thousands of short expressions',
    document(many(5, (n) => step(`s${n}`, { config: { list: Array(1_000).fill('{{ trigger.a }}') } }))),
  ],
  [
    'unknown keys in every step',
    document(many(500, (n) => step(`s${n}`, Object.fromEntries(many(100, (k) => [`${NAME}${k}`, 1]))))),
  ],
  ['100,000 empty lists', document([step('a', { config: { list: many(99_000, () => []) } })])],
];

describe('checking, compiling and preparing a document', () => {
  test.each(HOSTILE)('does not hold the thread: %s', async (_title, hostile) => {
    const options = { nodeTypes };
    const work = async (): Promise<void> => {
      const { errors } = await validateDocumentSliced(hostile, options);
      expect(errors.length).toBeLessThanOrEqual(100);
      if (errors.length > 0) return;
      // Without errors it is a document.
      await prepareSliced(await compileSliced(hostile as never, nodeTypes));
    };
    expect(await stallMs(work)).toBeLessThan(STALL_MS);
  });
});
