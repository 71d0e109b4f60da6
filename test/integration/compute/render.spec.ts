import * as fc from 'fast-check';
import {
  compileTemplate,
  type EvaluationContext,
  ExpressionError,
  render,
  renderOnThread,
  renderSliced,
} from '../../../dsl';
import { type Compute, ComputePool } from '../../../lib/compute';
import type { Json } from '../../../lib/json';
import { STALL_MS, stallMs } from '../../support/stall';
import { json, tree } from '../../unit/dsl/support/arbitraries';
import { envOf } from '../../unit/dsl/support/env';
import { print } from '../../unit/dsl/support/print';

const pool = new ComputePool({ policy: { maxThreads: 1 } });
const compute = pool.lane('tenant');
afterAll(() => pool.close());

/** The same with a time limit that a busy machine keeps too. */
const patient: Compute = { run: (task, input, options) => compute.run(task, input, { timeoutMs: 25_000, ...options }) };

const ROOTS = {
  trigger: { a: 1, list: [3, 1, 2], text: 'a b', body: null },
  steps: { one: { x: [1] }, two: { y: 'z' } },
};

/** A value, or the fault in its place. */
const outcomeOf = async (work: () => Json | Promise<Json>): Promise<unknown> => {
  try {
    return { value: await work() };
  } catch (fault) {
    if (!(fault instanceof ExpressionError)) throw fault;
    return { message: fault.message, source: fault.source, position: fault.position };
  }
};

describe('a template that is rendered on a thread', () => {
  it('has the value, or the fault, that it has here', async () => {
    const expressions = fc.array(
      tree.map((each) => `{{ ${print(each)} }}`).filter((text) => !text.includes('uuid')),
      { minLength: 1, maxLength: 3 },
    );
    await fc.assert(
      fc.asyncProperty(expressions, json, async (texts, body) => {
        const template = compileTemplate({ list: texts, text: texts.join(' and ') });
        const env = envOf({ ...ROOTS, trigger: { ...ROOTS.trigger, body } });
        expect(await outcomeOf(() => renderOnThread(compute, template, env))).toEqual(
          await outcomeOf(() => render(template, env)),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('gets links from the caller, and random bytes that differ from time to time', async () => {
    const links: string[] = [];
    const env: EvaluationContext = {
      ...envOf(ROOTS),
      stepLink: (stepId, decision) => {
        links.push(`${decision} ${stepId}`);
        return `https://example.com/${stepId}/${decision}`;
      },
    };
    const source = '{{ approval_link("one", "approve") }} {{ approval_link("t" + "wo", "reject") }}';
    expect(await renderOnThread(compute, compileTemplate(source), env)).toBe(
      'https://example.com/one/approve https://example.com/two/reject',
    );
    expect(links).toEqual(['approve one', 'reject two']);
    const ids = compileTemplate('{{ [uuid(), uuid()] }}');
    expect(new Set((await renderOnThread(compute, ids, env)) as string[]).size).toBe(2);
  });

  it('names outputs that are there, as here', async () => {
    const template = compileTemplate('{{ steps.three.x }}');
    const env = envOf(ROOTS);
    expect(await outcomeOf(() => renderOnThread(compute, template, env))).toEqual(
      await outcomeOf(() => render(template, env)),
    );
  });
});

const text = 'lorem ipsum dolor '.repeat(50_000);
const words = Array.from({ length: 60_000 }, (_, n) => `word ${(n * 7_919) % 60_000}`);
const objects = Array.from({ length: 20_000 }, (_, n) => ({ id: n % 1_000, name: `name ${n}` }));
const hostileText = 'ab'.repeat(20_000);

describe('a template that takes long', () => {
  it.each([
    ['title of a long text', '{{ title(trigger.text) | length }}'],
    ['words of a long text', '{{ split(trigger.text, " ") | length }}'],
    ['a sorted list', '{{ sort(trigger.words) | length }}'],
    ['a list without repetitions', '{{ unique(trigger.objects) | length }}'],
    ['a text that is turned around', '{{ reverse(trigger.text) | length }}'],
    ['JSON that is read', '{{ parse_json(json(trigger.objects)) | length }}'],
    ['a pattern of many states', '{{ match(trigger.hostile, "(a|b)*a(a|b){60}c") }}'],
    ['a pattern of many groups', `{{ extract(trigger.short, "${'(.*)'.repeat(60)}c") }}`],
    ['a pattern that is large', `{{ match("a", "${'a{0,1000}'.repeat(4)}b") }}`],
  ])('does not hold the thread: %s', async (_title, source) => {
    const template = compileTemplate(source);
    const env = envOf({ trigger: { text, words, objects, hostile: `${hostileText}d`, short: 'ab'.repeat(400) } });
    const expected = await outcomeOf(() => render(template, env));
    expect(await outcomeOf(() => renderSliced(patient, template, env))).toEqual(expected);
    expect(await stallMs(() => outcomeOf(() => renderSliced(patient, template, env)))).toBeLessThan(STALL_MS);
  });

  it('is rendered at once where it does not', async () => {
    const never: Compute = { run: () => Promise.reject(new Error('not to be used')) };
    expect(await renderSliced(never, compileTemplate('{{ trigger.list | sum }}'), envOf(ROOTS))).toBe(6);
  });

  it('ends with an error at its timeout', async () => {
    const slow: Compute = { run: (task, input) => compute.run(task, input, { timeoutMs: 1 }) };
    const template = compileTemplate('{{ match(trigger.hostile, "(a|b)*a(a|b){60}c") }}');
    await expect(
      renderOnThread(slow, template, envOf({ trigger: { hostile: `${hostileText}c` } })),
    ).rejects.toMatchObject({
      code: 'timed_out',
      retryable: false,
    });
  });
});
