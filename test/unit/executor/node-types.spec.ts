import { AppError } from '../../../lib/errors';
import type { NodeType } from '../../../nodes/contract';
import { type CustomNode, readDefinition } from '../../../nodes/custom';
import { DependencyUnavailable } from '../../../runtime/execution/deps';
import type { App } from '../../../services/app';
import type { ServiceContext } from '../../../mixins/service';
import { HostNodeTypes } from '../../../services/executor/node-types';
import { ManualClock } from '../../support/manual-clock';
import { until } from '../../support/until';

let clock: ManualClock;
let stopping: AbortController;
let stored: Map<string, CustomNode>;
let asked: string[];
/** Faults of the next asks, in order. */
let faults: Error[];

function definition(url: string, version = 1): CustomNode {
  const found = readDefinition({ name: 'thing', request: { url } });
  if (found.kind === 'faults') throw new Error(JSON.stringify(found.faults));
  return { ...found.definition, version };
}

const context = {
  call: async (_action: string, { type }: { type: string }, { asServiceOf }: { asServiceOf: string }) => {
    asked.push(`${asServiceOf}:${type}`);
    const fault = faults.shift();
    if (fault !== undefined) throw fault;
    return stored.get(`${asServiceOf}:${type}`) ?? null;
  },
  log: { warn: () => undefined },
} as unknown as ServiceContext;

const hostOf = (exclusive: boolean): HostNodeTypes =>
  new HostNodeTypes({
    clock,
    exclusive,
    stopping: stopping.signal,
    config: { executor: { leaseMs: 5_000 } },
  } as unknown as App);

let types: HostNodeTypes;
const find = async (type: string, tenant = 't1'): Promise<NodeType | undefined> => types.find(context, type, tenant);

beforeEach(() => {
  clock = new ManualClock();
  stopping = new AbortController();
  stored = new Map([['t1:custom-thing', definition('https://a.example')]]);
  asked = [];
  faults = [];
  types = hostOf(true);
});

test('built-in types are found by name and alias without a request', () => {
  expect(types.find(context, 'http_request', 't1')).toMatchObject({ type: 'http_request' });
  expect(types.find(context, 'http', 't1')).toMatchObject({ type: 'http_request' });
  expect(types.find(context, 'constructor', 't1')).toBeUndefined();
  expect(asked).toEqual([]);
});

test('a custom type belongs to its tenant', async () => {
  expect(await find('custom-thing')).toMatchObject({ type: 'custom-thing' });
  expect(await find('custom-thing', 't2')).toBeUndefined();
  expect(await find('custom-other')).toBeUndefined();
});

test('it is requested once a second, and an equal definition keeps the type object', async () => {
  const [first, second] = await Promise.all([find('custom-thing'), find('custom-thing')]);
  expect(first).toBe(second);
  expect(asked).toHaveLength(1);
  clock.advance(1_000);
  expect(await find('custom-thing')).toBe(first);
  expect(asked).toHaveLength(2);
});

test('a change applies when its event arrives, or within a second without the event', async () => {
  const versionOf = async () => (await find('custom-thing'))?.version;
  expect(await versionOf()).toBe(1);
  stored.set('t1:custom-thing', definition('https://b.example', 2));
  expect(await versionOf()).toBe(1);
  types.forget('workflows.custom_node:t2:custom-thing');
  types.forget('workflows.startable:t1:custom-thing');
  expect(await versionOf()).toBe(1);
  types.forget('workflows.custom_node:t1:custom-thing');
  expect(await versionOf()).toBe(2);
  stored.set('t1:custom-thing', definition('https://c.example', 3));
  clock.advance(1_000);
  expect(await versionOf()).toBe(3);
});

test('a missing type is cached for a second too', async () => {
  expect(await find('custom-other')).toBeUndefined();
  stored.set('t1:custom-other', definition('https://a.example'));
  expect(await find('custom-other')).toBeUndefined();
  types.forget('workflows.custom_node:t1:custom-other');
  expect(await find('custom-other')).toBeDefined();
});

test('a step waits while the service of the definitions does not answer', async () => {
  faults = [new AppError('unavailable', 'restarting'), new Error('connection lost')];
  const found = find('custom-thing');
  for (const tries of [2, 3]) {
    await until('it tries again', () => clock.step() || asked.length === tries);
    await until('it has asked', () => asked.length === tries);
  }
  expect(await found).toBeDefined();
});

test('a disconnected host leaves the step to others and retries later', async () => {
  types = hostOf(false);
  faults = Array.from({ length: 50 }, () => new AppError('unavailable', 'away'));
  const found = find('custom-thing');
  const refused = expect(found).rejects.toThrow(DependencyUnavailable);
  let settled = false;
  void found.catch(() => {
    settled = true;
  });
  await until('it gives up', () => {
    clock.step();
    return settled;
  });
  await refused;
  faults = [];
  expect(await find('custom-thing')).toBeDefined();
});

test('a fault that a retry cannot solve is reported', async () => {
  faults = [new AppError('forbidden', 'no')];
  await expect(find('custom-thing')).rejects.toMatchObject({ type: 'forbidden' });
});
