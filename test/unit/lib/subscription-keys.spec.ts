import { type EndFacts, subscriptionKeysOf, keysOfEvent, keysOfEnd } from '../../../lib/subscription-keys';

const end = (facts: Partial<EndFacts> = {}): EndFacts => ({
  workflow_id: 'w1',
  workflow_name: 'Orders',
  status: 'completed',
  trigger_type: 'http',
  ...facts,
});

type Trigger = Parameters<typeof subscriptionKeysOf>[0][number];

/** The trigger types that an end fires in a workflow with these triggers. */
const fired = (triggers: Trigger[], facts: Partial<EndFacts>): string[] => {
  const topics = keysOfEnd(end(facts));
  return subscriptionKeysOf(triggers).flatMap((topic) => topics.get(topic) ?? []);
};

const onCompleted = (workflow: string, status?: string): Trigger => ({
  type: 'workflow_completed',
  config: { workflow, ...(status === undefined ? {} : { status }) },
});
const onError = (workflow?: string): Trigger => ({
  type: 'error',
  config: workflow === undefined ? {} : { workflow },
});

describe('topics of triggers', () => {
  it('exist only for triggers that internal events fire', () => {
    const outside = [
      { type: 'manual', config: {} },
      { type: 'http', config: {} },
    ];
    expect(subscriptionKeysOf(outside)).toEqual([]);
  });

  it('are listed once for any number of triggers', () => {
    const twice = { type: 'signal', config: { signal: 'paid' } };
    expect(subscriptionKeysOf([twice, twice])).toHaveLength(1);
  });

  it('of a signal are fired by its name only', () => {
    const [paid] = subscriptionKeysOf([{ type: 'signal', config: { signal: 'paid' } }]);
    const cause = (signal: string) => ({ kind: 'signal', id: 'c', signal, data: {}, execution_id: null }) as const;
    expect([...keysOfEvent(cause('paid'))]).toEqual([[paid, 'signal']]);
    expect(keysOfEvent(cause('paid2')).has(paid as string)).toBe(false);
  });

  it('of an end and of a signal with the same name differ', () => {
    const cause = { kind: 'signal', id: 'c', signal: 'error', data: {}, execution_id: null } as const;
    expect(subscriptionKeysOf([onError()]).some((topic) => keysOfEvent(cause).has(topic))).toBe(false);
  });
});

describe('the end of a run', () => {
  it.each([
    ['completed', undefined, true],
    ['failed', undefined, false],
    ['failed', 'failed', true],
    ['cancelled', 'cancelled', true],
    ['completed', 'failed', false],
    ['completed', 'any', true],
    ['failed', 'any', true],
    ['cancelled', 'any', true],
  ] as const)('as %s with status %s: starts who waits for it: %s', (status, wanted, starts) => {
    const expected = starts ? ['workflow_completed'] : [];
    expect(fired([onCompleted('w1', wanted)], { status })).toEqual(expected);
    expect(fired([onCompleted('Orders', wanted)], { status })).toEqual(expected);
    expect(fired([onCompleted('Others', wanted)], { status })).toEqual([]);
  });

  it('as failed fires error triggers of the tenant, and of that workflow by id or name', () => {
    for (const workflow of [undefined, 'w1', 'Orders'])
      expect(fired([onError(workflow)], { status: 'failed' })).toEqual(['error']);
    expect(fired([onError('Others')], { status: 'failed' })).toEqual([]);
    expect(fired([onError()], { status: 'cancelled' })).toEqual([]);
  });

  it('of a run of an error trigger fires no error trigger, but those for its end', () => {
    const both = [onError(), onCompleted('w1', 'failed')];
    expect(fired(both, { status: 'failed', trigger_type: 'error' })).toEqual(['workflow_completed']);
  });

  it('of the test of a step fires nothing', () => {
    const all = [onError(), onCompleted('w1', 'any')];
    expect(fired(all, { status: 'failed', trigger_type: 'test' })).toEqual([]);
  });
});
