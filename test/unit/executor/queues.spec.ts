import { queueRows } from '../../../services/executor/queues';

const T0 = Date.UTC(2030, 0, 1);
const run = (id: string, startedAt: number, more: object) => ({
  _id: id,
  tenant_id: 't',
  workflow_id: 'w',
  workflow_name: 'Flow',
  started_at: new Date(T0 + startedAt),
  waiting: [],
  ...more,
});
const concurrency = (key: string) => ({ group: `group of ${key}`, key, limit: 2, on_conflict: 'queue' as const });
const throttle = (passed: boolean) => ({ window: 'the window', key: '', limit: 2, period_ms: 1_000, burst: 2, passed });

test('a row for each limit counts who has a place and who waits, the longest queue first', () => {
  const rows = queueRows(
    {
      runs: [
        run('a', 0, { concurrency: concurrency('k') }),
        run('b', 1, { concurrency: concurrency('k') }),
        run('c', 2, { concurrency: concurrency('k'), throttle: throttle(false) }),
        run('d', 3, { throttle: throttle(true) }),
        run('e', 4, { throttle: throttle(false) }),
      ],
      groups: new Map([['group of k', { holders: [{ id: 'a', at: new Date(T0) }] }]]),
      windows: new Map([
        ['the window', { starts: [-2_000, -400, -300].map((at) => ({ id: `s${at}`, at: new Date(T0 + at) })) }],
      ]),
    },
    T0,
  );
  expect(rows).toMatchObject([
    {
      kind: 'throttle',
      key: null,
      limit: 2,
      period_ms: 1_000,
      used: 2,
      waiting: 2,
      oldest: new Date(T0 + 2).toISOString(),
      next_start: new Date(T0 + 600).toISOString(),
    },
    {
      kind: 'concurrency',
      key: 'k',
      limit: 2,
      used: 1,
      waiting: 1,
      oldest: new Date(T0 + 1).toISOString(),
      next_start: null,
    },
  ]);
  expect(new Set(rows.map(({ id }) => id)).size).toBe(2);
});

test('a connection is a row with the runs that wait for it, and when the first of them asks again', () => {
  const wait = (step: string, untilMs: number) => ({
    step_id: step,
    kind: 'connection' as const,
    name: 'c',
    since: new Date(T0),
    until: new Date(T0 + untilMs),
  });
  const timer = { ...wait('x', 1), kind: 'timer' as const, name: null };
  const rows = queueRows(
    {
      runs: [
        run('a', 0, { waiting: [wait('s', 900), wait('t', 700)] }),
        run('b', 1, { waiting: [timer, wait('s', 800)] }),
      ],
      groups: new Map(),
      windows: new Map([['connection:t:c', { starts: [], uses: [{ id: 'z/s', run: 'z', epoch: 1, n: 1 }] }]]),
    },
    T0,
  );
  expect(rows).toEqual([
    {
      id: 'connection-c',
      workflow_id: 'w',
      workflow_name: 'Flow',
      kind: 'connection',
      key: null,
      name: 'c',
      limit: null,
      period_ms: null,
      used: 1,
      waiting: 2,
      oldest: new Date(T0).toISOString(),
      next_start: new Date(T0 + 700).toISOString(),
    },
  ]);
});

test('without runs there is no row', () => {
  expect(queueRows({ runs: [], groups: new Map(), windows: new Map() }, T0)).toEqual([]);
});
