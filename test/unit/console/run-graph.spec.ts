import { layoutOf } from '../../../console/src/model/layout';
import { cardOf, cardText, firstOfConcern } from '../../../console/src/model/run-graph';

const state = (more: Partial<Parameters<typeof cardText>[0]> = {}): Parameters<typeof cardText>[0] => ({
  step_id: 'a',
  path: 'a',
  status: 'completed',
  counts: { completed: 1 },
  started_at: '2026-01-01T00:00:00.000Z',
  duration_ms: 1_200,
  ...more,
});

describe('the card of a step', () => {
  it('has its status and its duration', () => {
    expect(cardText(state(), false)).toEqual({ status: 'completed', tone: 'ok', details: ['1.2 s'], since: null });
    expect(cardText(state({ status: 'failed', counts: { failed: 1 } }), true)).toMatchObject({ tone: 'danger' });
  });

  it('counts on while the step goes on', () => {
    const running = state({ status: 'running', counts: { running: 1 }, duration_ms: null });
    expect(cardText(running, false)).toMatchObject({ since: '2026-01-01T00:00:00.000Z', details: [] });
  });

  it('says of a step that has not begun whether it still can', () => {
    const none = state({ status: 'pending', counts: {}, started_at: null, duration_ms: null });
    expect([false, true].map((over) => cardText(none, over).label)).toEqual(['Pending', 'Not reached']);
  });

  it('has the progress of a loop', () => {
    const loop = { total: 12, begun: 12, ended: 12, steps: { failed: 2, completed: 10 } };
    expect(cardText(state({ loop }), true)).toMatchObject({
      label: '12 of 12 items',
      details: ['2 failed', '1.2 s'],
    });
  });

  it('counts the items of a step in a loop by status, failed ones first', () => {
    const many = state({ status: 'failed', counts: { completed: 98_999, failed: 1_000, running: 1 } });
    expect(cardText(many, false)).toEqual({
      status: 'failed',
      tone: 'danger',
      label: '1,000 failed',
      details: ['1 running', '98,999 completed'],
      since: null,
    });
  });
});

describe('the card of a path', () => {
  const layout = layoutOf({
    steps: [
      { id: 'each', type: 'foreach', steps: [{ id: 'fetch', type: 'set' }] },
      { id: 'guard', type: 'try', steps: [{ id: 'risk', type: 'set' }] },
    ],
    on_error: [{ id: 'mail', type: 'set' }],
  });

  it('is found by the path in the run, or by the id of the step', () => {
    expect(cardOf(layout, 'each/steps[17]/fetch')).toBe('steps[0].steps[0]');
    expect(cardOf(layout, 'risk')).toBe('steps[1].steps[0]');
    expect(cardOf(layout, '.on_error/mail')).toBe('on_error[0]');
    expect(cardOf(layout, 'unknown')).toBeUndefined();
  });

  it('lists that the document does not have are not drawn for a run', () => {
    const keys = (withExpected: boolean): string[] =>
      layoutOf({ steps: [{ id: 'guard', type: 'try', steps: [{ id: 'risk', type: 'set' }] }] }, withExpected).lists.map(
        ({ key }) => key,
      );
    expect(keys(true)).toEqual(['steps[0].steps', 'steps[0].catch', 'steps[0].finally']);
    expect(keys(false)).toEqual(['steps[0].steps']);
  });
});

it('a reader first looks for a step that has failed, then for one that goes on', () => {
  const steps = [state(), state({ path: 'b', status: 'waiting' }), state({ path: 'c', status: 'failed' })];
  expect(firstOfConcern(steps)).toBe('c');
  expect(firstOfConcern(steps.slice(0, 2))).toBe('b');
  expect(firstOfConcern(steps.slice(0, 1))).toBeUndefined();
});
