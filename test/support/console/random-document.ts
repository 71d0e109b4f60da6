import fc from 'fast-check';
import type { JsonObject } from '../../../console/src/model/document';

type Draft = { [key: string]: unknown };

/** A step without its id, or a block with steps in it; ids are given when the document is whole. */
const step = (depth: number): fc.Arbitrary<Draft> => {
  const plain = fc.record({
    type: fc.constant('set'),
    config: fc.dictionary(
      fc.constantFrom('a', 'b', 'c'),
      fc.oneof(
        fc.integer(),
        fc.string({ maxLength: 5 }).map((text) => text.replaceAll('{', '')),
        fc.constant('REFERENCE'),
      ),
    ),
  });
  if (depth === 0) return plain;
  const list = (minLength: number): fc.Arbitrary<Draft[]> => fc.array(step(depth - 1), { minLength, maxLength: 3 });
  const blocks: readonly fc.Arbitrary<Draft>[] = [
    fc.record({
      type: fc.constantFrom('branch', 'if'),
      cases: fc.array(fc.record({ when: fc.constantFrom('{{ true }}', false), steps: list(1) }), {
        minLength: 1,
        maxLength: 3,
      }),
      else: list(0),
    }),
    fc.record({
      type: fc.constant('parallel'),
      branches: fc
        .array(list(1), { minLength: 2, maxLength: 3 })
        .map((lists) => lists.map((steps, index) => ({ id: `way${index}`, steps }))),
    }),
    fc.record({ type: fc.constant('foreach'), config: fc.constant({ items: [1, 2] }), steps: list(1) }),
    fc.record({ type: fc.constant('while'), config: fc.constant({ condition: '{{ false }}' }), steps: list(1) }),
    fc.record(
      { type: fc.constant('try'), steps: list(1), catch: list(0), finally: list(0) },
      { requiredKeys: ['type', 'steps', 'catch'] },
    ),
    fc.record({ type: fc.constant('set'), config: fc.constant({}), on_error: list(1) }),
  ];
  return fc.oneof({ weight: 4, arbitrary: plain }, ...blocks.map((arbitrary) => ({ weight: 1, arbitrary })));
};

/** Valid documents with every kind of block, `needs` and references to earlier steps. */
export const documents: fc.Arbitrary<JsonObject> = fc
  .record({
    steps: fc.array(step(3), { minLength: 1, maxLength: 6 }),
    onError: fc.array(step(1), { maxLength: 2 }),
    needs: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
  })
  .map(({ steps, onError, needs }) => {
    let count = 0;
    const named = (list: readonly Draft[], given: readonly boolean[]): Draft[] => {
      let previous: string | null = null;
      let first: string | null = null;
      return list.map((each, index) => {
        count += 1;
        const id = `s${count}`;
        const needed: readonly string[] = first !== null && given[index] === true ? [first] : [];
        // The step can read what it waits for.
        const before: string | null = needed[0] ?? previous;
        const inner = Object.fromEntries(
          Object.entries(each).map(([key, value]) => [key, withIds(key, value, before, named)]),
        );
        previous = id;
        first ??= id;
        return { id, ...inner, ...(needed.length > 0 ? { needs: needed } : {}) };
      });
    };
    const [main, failed] = [named(steps, needs), named(onError, [])];
    return {
      id: 'random',
      trigger: { type: 'manual' },
      steps: main,
      ...(failed.length > 0 ? { on_error: failed } : {}),
    };
  });

function withIds(
  key: string,
  value: unknown,
  before: string | null,
  named: (list: readonly Draft[], needs: readonly boolean[]) => Draft[],
): unknown {
  if (key === 'config') {
    return Object.fromEntries(
      Object.entries(value as Draft).map(([name, member]) => [
        name,
        member === 'REFERENCE' ? (before === null ? '{{ trigger }}' : `{{ steps.${before} }}`) : member,
      ]),
    );
  }
  if (key === 'cases' || key === 'branches') {
    return (value as Draft[]).map((block) => ({ ...block, steps: named(block.steps as Draft[], []) }));
  }
  return Array.isArray(value) ? named(value as Draft[], []) : value;
}
