import type { JsonObject } from '../../../lib/json';
import type { Entry } from '../../../runtime/core/entries/entry';
import { replay } from '../../../runtime/core/state/fold';
import { endingOf } from '../../../runtime/core/decide/ending';
import { SecretRedactor } from '../../../runtime/core/secrets/secret-redactor';
import { bench, factsOf, step } from '../../support/runtime/bench';
import { execution } from '../../support/runtime/records';

const respond = (id: string, more: JsonObject = {}) => ({ id, type: 'webhook_response', config: {}, ...more });

/** The response to a waiting caller at the end of a history. */
async function responseOf(entries: Entry[], plan = bench([step('a'), respond('b'), respond('c')]).facts.plan) {
  const ended = { kind: 'run.ended', at: 9, status: 'completed', output: null, error: null } as const;
  const state = replay([...entries, ended]);
  const ending = await endingOf(execution('a'), factsOf(plan), state, ended, new SecretRedactor(() => 'code'), false);
  return ending.response;
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

describe('the response to a waiting caller', () => {
  it('is the output of the last response step, at any level', async () => {
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
    expect(await responseOf(entries, run.facts.plan)).toEqual({ status: 202 });
  });

  it('is empty without a response step', async () => {
    expect(await responseOf([completed('a', { v: 1 })])).toBeNull();
  });

  it('is found in old histories, which do not mark responses', async () => {
    expect(await responseOf([completed('b', { status: 201 }), completed('c', { status: 202 })])).toEqual({
      status: 202,
    });
  });
});
