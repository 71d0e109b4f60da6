import { TokenBuckets } from '../../../lib/token-bucket';
import { DeliveryBatcher, type PendingDelivery } from '../../../services/api-gateway/deliveries/batcher';
import type { SeenDelivery } from '../../../contracts/channels/views';
import { ManualClock } from '../../support/manual-clock';

const seen = (workflow_id: string, raw = ''): SeenDelivery => ({
  workflow_id,
  source: 'http',
  received_at: '2026-11-22T01:00:00.000Z',
  method: 'POST',
  status: 202,
  headers: {},
  query: {},
  raw,
  size: raw.length,
  sha256: null,
  outcome: 'started',
  code: null,
  reason: null,
  execution_ids: [],
  delivery_id: null,
  minor: false,
});

/** A batcher whose batches are answered by the test. */
function openNotebook({ hangs = false } = {}) {
  const clock = new ManualClock();
  const batches: SeenDelivery[][] = [];
  const warnings: string[] = [];
  const answers: { resolve: () => void; reject: (fault: Error) => void }[] = [];
  const batcher = new DeliveryBatcher({
    buckets: new TokenBuckets(),
    clock,
    keep: (deliveries) => {
      batches.push(deliveries);
      return hangs ? new Promise<void>((resolve, reject) => answers.push({ resolve, reject })) : Promise.resolve();
    },
    warn: (message) => warnings.push(message),
  });
  const noted = (workflowId: string, fields: Partial<PendingDelivery> = {}, raw = ''): PendingDelivery => ({
    workflowId,
    minor: false,
    write: () => seen(workflowId, raw),
    ...fields,
  });
  return { clock, batches, warnings, answers, batcher, noted, kept: () => batches.flat().length };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('records are collected for a moment and sent together, in order', async () => {
  const { clock, batches, batcher, noted } = openNotebook();
  for (const id of ['a', 'b', 'c']) batcher.note(noted(id));
  expect(batches).toEqual([]);
  clock.advance(100);
  await turn();
  expect(batches.map((batch) => batch.map((each) => each.workflow_id))).toEqual([['a', 'b', 'c']]);
  expect(clock.pending).toBe(0);
});

test('many records are sent at once, in batches of fifty', async () => {
  const { batches, batcher, noted, kept } = openNotebook();
  for (let n = 0; n < 450; n += 1) batcher.note(noted(`w${n}`));
  await batcher.close();
  expect(kept()).toBe(450);
  expect(Math.max(...batches.map(({ length }) => length))).toBe(50);
});

test('large records are sent in small batches', async () => {
  const { batches, batcher, noted } = openNotebook();
  for (let n = 0; n < 10; n += 1) batcher.note(noted(`w${n}`, {}, 'x'.repeat(3 * 1024 ** 2)));
  await batcher.close();
  expect(batches.map(({ length }) => length)).toEqual(Array.from({ length: 10 }, () => 1));
});

test('a batch fits into a message of the bus, for any records', async () => {
  const { batches, batcher, kept } = openNotebook();
  const largest = Buffer.alloc(256 * 1024).toString('base64');
  const long = 'x'.repeat(15_000);
  for (let n = 0; n < 100; n += 1) {
    const write = (): SeenDelivery => ({
      ...seen(`w${n}`, n % 10 === 0 ? largest : ''),
      headers: { long },
      query: { long },
    });
    batcher.note({ workflowId: `w${n}`, minor: false, write });
  }
  await batcher.close();
  expect(kept()).toBe(100);
  expect(Math.max(...batches.map((batch) => JSON.stringify(batch).length))).toBeLessThan(900 * 1024);
});

test('closing sends the queued records and waits for the answers', async () => {
  const { batches, answers, batcher, noted } = openNotebook({ hangs: true });
  batcher.note(noted('a'));
  let closed = false;
  const closing = batcher.close().then(() => (closed = true));
  await turn();
  batcher.note(noted('b'));
  expect([batches.length, closed]).toEqual([1, false]);
  answers[0]?.resolve();
  await turn();
  answers[1]?.resolve();
  await closing;
  expect(batches.flat().map(({ workflow_id }) => workflow_id)).toEqual(['a', 'b']);
});

test('a batch that cannot be stored is logged, and later ones are sent', async () => {
  const { answers, warnings, batcher, noted, batches } = openNotebook({ hangs: true });
  batcher.note(noted('a'));
  const closing = batcher.close();
  await turn();
  batcher.note(noted('b'));
  answers[0]?.reject(new Error('no service answers'));
  await turn();
  answers[1]?.resolve();
  await closing;
  expect(warnings).toEqual(['1 webhook deliveries could not be stored: no service answers']);
  expect(batches).toHaveLength(2);
});

test('while the service is unavailable, the queue is bounded in number and size', async () => {
  const { batcher, noted, batches, answers } = openNotebook({ hangs: true });
  let written = 0;
  const big = (id: string): PendingDelivery => ({
    ...noted(id),
    write: () => {
      written += 1;
      return seen(id, 'x'.repeat(1024 ** 2));
    },
  });
  for (let n = 0; n < 200; n += 1) batcher.note(big(`w${n}`));
  expect(written).toBeLessThanOrEqual(40);
  const closing = batcher.close();
  for (let n = 0; n < 100; n += 1) {
    answers[n]?.resolve();
    await turn();
  }
  await closing;
  expect(batches.flat()).toHaveLength(written);
});

test('of the deliveries to a workflow, a thousand at once are kept, then a hundred a second', () => {
  const { clock, batcher, noted } = openNotebook();
  let written = 0;
  const write = (): SeenDelivery => {
    written += 1;
    return seen('w');
  };
  for (let n = 0; n < 2_000; n += 1) batcher.note(noted('w', { write }));
  expect(written).toBe(1_000);
  clock.advance(2_000);
  for (let n = 0; n < 2_000; n += 1) batcher.note(noted('w', { write }));
  expect(written).toBe(1_200);
});

test('of unauthenticated deliveries, thirty at once are kept, a few hundred for all workflows, and others are not delayed', () => {
  const { batcher, noted } = openNotebook();
  let minor = 0;
  let major = 0;
  for (let w = 0; w < 50; w += 1) {
    for (let n = 0; n < 100; n += 1) {
      batcher.note(
        noted(`w${w}`, {
          minor: true,
          write: () => {
            minor += 1;
            return seen(`w${w}`);
          },
        }),
      );
    }
  }
  batcher.note(noted('w0', { write: () => ((major += 1), seen('w0')) }));
  expect([minor, major]).toEqual([600, 1]);
});
