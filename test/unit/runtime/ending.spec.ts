import type { JsonObject } from '../../../lib/json';
import type { Entry } from '../../../runtime/record/entry';
import { replay } from '../../../runtime/record/fold';
import { endingOf } from '../../../runtime/rules/ending';
import { Veil } from '../../../runtime/rules/veil';
import { bench, factsOf, step } from '../../support/runtime/bench';
import { execution } from '../../support/runtime/records';

const respond = (id: string, more: JsonObject = {}) => ({ id, type: 'webhook_response', config: {}, ...more });

/** What a caller who waits is answered with at the end of a history. */
function responseOf(entries: Entry[], plan = bench([step('a'), respond('b'), respond('c')]).facts.plan) {
  const ended = { kind: 'run.ended', at: 9, status: 'completed', output: null, error: null } as const;
  const state = replay([...entries, ended]);
  return endingOf(execution('a'), factsOf(plan), state, ended, new Veil(() => 'code'), false).response;
}

const completed = (path: string, output: JsonObject, more: object = {}): Entry => ({
  kind: 'step.completed',
  path,
  attempt: 1,
  at: 1,
  started: 1,
  output,
  ...more,
});

describe('what a caller who waits is answered with', () => {
  it('is the output of the last response that was given, wherever its step stands', () => {
    const run = bench([
      { id: 'each', type: 'foreach', config: { items: [1, 2] }, steps: [respond('r')] },
      step('z'),
    ]).play({
      answers: {
        'each/steps[0]/r': { kind: 'done', output: { status: 201 } },
        'each/steps[1]/r': { kind: 'done', output: { status: 202 } },
      },
    });
    const entries = run.entries.filter(({ kind }) => kind !== 'run.ended');
    expect(responseOf(entries, run.facts.plan)).toEqual({ status: 202 });
  });

  it('is nothing where no step has given one', () => {
    expect(responseOf([completed('a', { v: 1 })])).toBeNull();
  });

  it('is found in histories of before, which do not say what a response is', () => {
    expect(responseOf([completed('b', { status: 201 }), completed('c', { status: 202 })])).toEqual({ status: 202 });
  });
});
