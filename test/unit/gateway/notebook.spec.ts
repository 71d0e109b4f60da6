import { type Noted, Notebook } from '../../../services/api-gateway/deliveries/notebook';
import { Quota } from '../../../services/api-gateway/deliveries/quota';
import { RememberedIds } from '../../../services/api-gateway/deliveries/remembered-ids';
import type { SeenDelivery } from '../../../services/channels/contract';
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

/** A notebook whose batches are answered when the test says so. */
function openNotebook({ hangs = false } = {}) {
  const clock = new ManualClock();
  const batches: SeenDelivery[][] = [];
  const warnings: string[] = [];
  const answers: { resolve: () => void; reject: (fault: Error) => void }[] = [];
  const notebook = new Notebook({
    clock,
    keep: (deliveries) => {
      batches.push(deliveries);
      return hangs ? new Promise<void>((resolve, reject) => answers.push({ resolve, reject })) : Promise.resolve();
    },
    warn: (message) => warnings.push(message),
  });
  const noted = (workflowId: string, fields: Partial<Noted> = {}, raw = ''): Noted => ({
    workflowId,
    minor: false,
    write: () => seen(workflowId, raw),
    ...fields,
  });
  return { clock, batches, warnings, answers, notebook, noted, kept: () => batches.flat().length };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('notes gather for a moment, and are handed on together, in order', async () => {
  const { clock, batches, notebook, noted } = openNotebook();
  for (const id of ['a', 'b', 'c']) notebook.note(noted(id));
  expect(batches).toEqual([]);
  clock.advance(100);
  await turn();
  expect(batches.map((batch) => batch.map((each) => each.workflow_id))).toEqual([['a', 'b', 'c']]);
  expect(clock.pending).toBe(0);
});

test('many are handed on at once, in batches of fifty', async () => {
  const { batches, notebook, noted, kept } = openNotebook();
  for (let n = 0; n < 450; n += 1) notebook.note(noted(`w${n}`));
  await notebook.close();
  expect(kept()).toBe(450);
  expect(Math.max(...batches.map(({ length }) => length))).toBe(50);
});

test('large ones go in small batches', async () => {
  const { batches, notebook, noted } = openNotebook();
  for (let n = 0; n < 10; n += 1) notebook.note(noted(`w${n}`, {}, 'x'.repeat(3 * 1024 ** 2)));
  await notebook.close();
  expect(batches.map(({ length }) => length)).toEqual(Array.from({ length: 10 }, () => 1));
});

test('a batch fits into a message of the bus, whatever its notes are made of', async () => {
  const { batches, notebook, kept } = openNotebook();
  const largest = Buffer.alloc(256 * 1024).toString('base64');
  const long = 'x'.repeat(15_000);
  for (let n = 0; n < 100; n += 1) {
    const write = (): SeenDelivery => ({
      ...seen(`w${n}`, n % 10 === 0 ? largest : ''),
      headers: { long },
      query: { long },
    });
    notebook.note({ workflowId: `w${n}`, minor: false, write });
  }
  await notebook.close();
  expect(kept()).toBe(100);
  expect(Math.max(...batches.map((batch) => JSON.stringify(batch).length))).toBeLessThan(900 * 1024);
});

test('closing hands on what is there, and waits for it', async () => {
  const { batches, answers, notebook, noted } = openNotebook({ hangs: true });
  notebook.note(noted('a'));
  let closed = false;
  const closing = notebook.close().then(() => (closed = true));
  await turn();
  notebook.note(noted('b'));
  expect([batches.length, closed]).toEqual([1, false]);
  answers[0]?.resolve();
  await turn();
  answers[1]?.resolve();
  await closing;
  expect(batches.flat().map(({ workflow_id }) => workflow_id)).toEqual(['a', 'b']);
});

test('what cannot be handed on is told, and keeps nothing from those after it', async () => {
  const { answers, warnings, notebook, noted, batches } = openNotebook({ hangs: true });
  notebook.note(noted('a'));
  const closing = notebook.close();
  await turn();
  notebook.note(noted('b'));
  answers[0]?.reject(new Error('nobody is there'));
  await turn();
  answers[1]?.resolve();
  await closing;
  expect(warnings).toEqual(['1 deliveries are missing in the inboxes of their workflows: nobody is there']);
  expect(batches).toHaveLength(2);
});

test('while nobody takes them they are bounded in number and size', async () => {
  const { notebook, noted, batches, answers } = openNotebook({ hangs: true });
  let written = 0;
  const big = (id: string): Noted => ({
    ...noted(id),
    write: () => {
      written += 1;
      return seen(id, 'x'.repeat(1024 ** 2));
    },
  });
  for (let n = 0; n < 200; n += 1) notebook.note(big(`w${n}`));
  expect(written).toBeLessThanOrEqual(40);
  const closing = notebook.close();
  for (let n = 0; n < 100; n += 1) {
    answers[n]?.resolve();
    await turn();
  }
  await closing;
  expect(batches.flat()).toHaveLength(written);
});

test('of what a workflow gets, a thousand at once are kept, and a hundred a second from then on', () => {
  const { clock, notebook, noted } = openNotebook();
  let written = 0;
  const write = (): SeenDelivery => {
    written += 1;
    return seen('w');
  };
  for (let n = 0; n < 2_000; n += 1) notebook.note(noted('w', { write }));
  expect(written).toBe(1_000);
  clock.advance(2_000);
  for (let n = 0; n < 2_000; n += 1) notebook.note(noted('w', { write }));
  expect(written).toBe(1_200);
});

test('of what strangers cause, thirty at once are kept, for all workflows together a few hundred, and nobody else is held up', () => {
  const { notebook, noted } = openNotebook();
  let minor = 0;
  let major = 0;
  for (let w = 0; w < 50; w += 1) {
    for (let n = 0; n < 100; n += 1) {
      notebook.note(
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
  notebook.note(noted('w0', { write: () => ((major += 1), seen('w0')) }));
  expect([minor, major]).toEqual([600, 1]);
});

test('a quota forgets the key that came first when there are too many', () => {
  const quota = new Quota(1, 0);
  expect([quota.take('first', 0), quota.take('first', 0)]).toEqual([true, false]);
  for (let n = 0; n < 20_000; n += 1) quota.take(`k${n}`, 0);
  expect(quota.take('first', 0)).toBe(true);
  expect(quota.take('k19999', 0)).toBe(false);
});

test('remembered ids are bounded', () => {
  const ids = new RememberedIds();
  for (let n = 0; n <= 10_000; n += 1) ids.add(`${n}`);
  expect([ids.has('0'), ids.has('1'), ids.has('10000')]).toEqual([false, true, true]);
});
