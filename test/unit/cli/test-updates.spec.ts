import type { RunResult } from '../../../cli/testing/compare';
import { withValue } from '../../../cli/testing/json-edit';
import { changesOf, expectationOf, lineOf } from '../../../cli/testing/update';
import type { Json, JsonObject } from '../../../lib/json';

describe('a value in the text of a JSON file', () => {
  const text = `{
  "cases": [
    { "name": "a: \\"{[\\"", "expect": { "output": { "n": 1, "list": [1,  2] } } },
    {
      "name": "b",
      "expect": {
        "output": {
          "n": 1
        }
      }
    }
  ]
}
`;

  it('is replaced in its place, and the rest stays as it was', () => {
    const changed = withValue(text, ['cases', 0, 'expect', 'output', 'n'], 'two');
    expect(changed).toBe(text.replace('"n": 1, "list"', '"n": "two", "list"'));
    const list = withValue(text, ['cases', 0, 'expect', 'output', 'list'], [{ a: 1 }, {}]);
    expect(list).toBe(text.replace('[1,  2]', '[{"a":1},{}]'));
  });

  it('has several lines where the one before had', () => {
    const changed = withValue(text, ['cases', 1, 'expect', 'output'], { n: 2, m: [3] });
    expect(changed).toContain(
      '        "output": {\n          "n": 2,\n          "m": [\n            3\n          ]\n        }\n',
    );
    expect(JSON.parse(changed)).toMatchObject({ cases: [{}, { expect: { output: { n: 2, m: [3] } } }] });
  });

  it('that is new becomes the last member', () => {
    expect(withValue(text, ['cases', 0, 'timeout'], 5)).toContain('[1,  2] } },"timeout": 5 },');
    expect(withValue(text, ['cases', 1, 'timeout'], { s: 5 })).toContain(
      '\n      },\n      "timeout": {\n        "s": 5\n      }\n    }\n',
    );
    expect(withValue('{"a":{}}', ['a', 'b'], 1)).toBe('{"a":{"b": 1}}');
  });

  it('is found among any other values', () => {
    const value: Json = { 'k "': [[], {}, [1, { deep: [true, null, -1.5e3, 'x,]}'] }]], last: '' };
    for (const indent of [undefined, 1, '\t']) {
      const changed = withValue(JSON.stringify(value, null, indent), ['k "', 2, 1, 'deep', 3], [{}]);
      expect(JSON.parse(changed)).toEqual({ 'k "': [[], {}, [1, { deep: [true, null, -1.5e3, [{}]] }]], last: '' });
    }
  });
});

describe('the expectation of a case that failed', () => {
  const row = (step_id: string, more: JsonObject = {}): JsonObject => ({
    step_id,
    path: step_id,
    status: 'completed',
    output: { n: 2, extra: true },
    error: null,
    ...more,
  });
  const seen = (more: Partial<RunResult> = {}): RunResult => ({
    status: 'completed',
    output: { n: 2, extra: true },
    error: null,
    waiting: [],
    steps: [row('a'), row('b', { status: 'skipped' })],
    ...more,
  });

  it('keeps its members and their order, and what the run fits', () => {
    const before = {
      output: { gone: 1, n: 1 },
      steps: { b: { status: 'completed' }, a: { output: { n: 1 }, count: 2 } },
      not_called: ['b', 'a'],
    };
    const after = expectationOf(seen(), before);
    expect(JSON.stringify(after)).toBe(
      JSON.stringify({
        output: { n: 2 },
        steps: { b: { status: 'skipped' }, a: { output: { n: 2 }, count: 1 } },
        not_called: ['b'],
      }),
    );
    expect(expectationOf(seen(), { output: { n: 2 } })).toEqual({ output: { n: 2 } });
  });

  it('names the status and the error of a run that failed', () => {
    const failed = seen({ status: 'failed', output: null, error: { code: 'gone', message: 'It is gone' } });
    expect(expectationOf(failed, undefined)).toEqual({ status: 'failed', error: { code: 'gone' } });
    expect(expectationOf(failed, { error: { message: 'is here' } })).toEqual({
      error: { message: 'It is gone' },
      status: 'failed',
    });
    expect(expectationOf(seen(), { status: 'failed', error: { code: 'x' } })).toEqual({ status: 'completed' });
  });

  it('of a case without one is the output', () => {
    expect(expectationOf(seen(), undefined)).toEqual({ output: { n: 2, extra: true } });
  });

  it('leaves a step that the case does not name clearly as it is', () => {
    const steps = [0, 1].map((n) => row('a', { path: `each/steps[${n}]/a` }));
    const before = { steps: { a: { output: { n: 1 } } } };
    expect(expectationOf(seen({ steps }), before)).toEqual(before);
  });
});

it('the changes of an expectation are its smallest parts, and are shown with both values', () => {
  const before = { output: { n: 1, keep: [1] }, error: { code: 'x', message: 'y' } };
  const after = { output: { n: 2, keep: [1] }, error: { code: 'x' }, status: 'failed' };
  const changes = changesOf(before, after, ['cases', 3, 'expect']);
  expect(changes.map((change) => lineOf(change, 2))).toEqual([
    'expect.output.n: 1 → 2',
    'expect.error: {"code":"x","message":"y"} → {"code":"x"}',
    'expect.status: nothing → "failed"',
  ]);
});
