import type { JsonObject } from '../../../lib/json';
import { check } from '../../../nodes/code/code';
import { scopeOf } from '../../../nodes/code/code';
import type { NodeRun } from '../../../nodes/contract';

const RUN: NodeRun = {
  trigger: { body: 1 },
  steps: { fetch: { n: 1 }, 'read-all': { n: 2 }, other: { n: 3 } },
  loop: { index: 4 },
};

const scope = (source: string): JsonObject => scopeOf(source, 'in', () => RUN);
const stepsSeenBy = (source: string): string[] => Object.keys((scope(source).steps ?? {}) as JsonObject);

describe('the variables of a source', () => {
  it('are its input and the parts of the run that it uses', () => {
    expect(scope('return trigger.body + loop.index')).toEqual({ input: 'in', trigger: RUN.trigger, loop: RUN.loop });
  });

  it('are only its input when it uses nothing else', () => {
    const asked = jest.fn(() => RUN);
    expect(scopeOf('const triggers = 1; return footsteps', null, asked)).toEqual({ input: null });
    expect(asked).not.toHaveBeenCalled();
  });

  it.each([
    ['return steps.fetch.n', ['fetch']],
    ['return steps?.fetch + steps [ "read-all" ].n', ['fetch', 'read-all']],
    ["return steps?.['other']", ['other']],
    ['return steps\n  .fetch', ['fetch']],
    ['return steps.missing', []],
    ['const { fetch } = steps', ['fetch', 'read-all', 'other']],
    ['return steps[input]', ['fetch', 'read-all', 'other']],
    ['return steps["a" + input]', ['fetch', 'read-all', 'other']],
    ['return Object.keys(steps).length + steps.fetch.n', ['fetch', 'read-all', 'other']],
    ['return steps.hasOwnProperty("fetch")', ['fetch', 'read-all', 'other']],
    ['return `${steps}`', ['fetch', 'read-all', 'other']],
  ])('%s: are the steps that it names, or all', (source, expected) => {
    expect(stepsSeenBy(source)).toEqual(expected);
  });
});

describe('a source that is saved', () => {
  it.each([
    'return await Promise.all([1, 2])',
    "'use strict'; return input ?? [] // the end",
    'return "\\{{ literal }}"',
    // The sandbox supports it, Node's engine does not.
    'return /(?i:a)b/.test(input)',
  ])('%s: is fine', (source) => {
    expect(check({ source })).toEqual([]);
  });

  it.each([
    ['const a = ;', 1],
    ['const a = 1;\n\nreturn a +', 3],
    ['return 1;\n}', 2],
    ['const a = 1;\nconst a = 2;', 2],
    ['import fs from "fs"', 1],
  ])('%j: its syntax error is reported with the line', (source, line) => {
    expect(check({ source })).toEqual([
      {
        kind: 'error',
        path: 'source',
        message: expect.stringMatching(new RegExp(`^is not valid JavaScript: .+line ${line}\\)$`)),
      },
    ]);
  });

  it('that is nested too deep is refused', () => {
    expect(check({ source: '['.repeat(60_000) })).toMatchObject([{ kind: 'error' }]);
  });

  it('causes a warning for an expression in it, whose value would become code', () => {
    expect(check({ source: 'return "{{ trigger.body.name }}"' })).toMatchObject([
      { kind: 'warning', hint: expect.stringContaining('input') },
    ]);
  });

  it.each([{}, { source: 5 }, { source: 'return {{ nothing' }, { source: 'x'.repeat(100_000) }])(
    'is left to the other checks when it is none',
    (config) => {
      expect(check(config as JsonObject)).toEqual([]);
    },
  );

  it('is not run', () => {
    expect(check({ source: '}); globalThis.ran = true; (function () {' })).toEqual([]);
    expect(globalThis).not.toHaveProperty('ran');
  });
});
