/** Fills a workspace with runs through the store, which is a thousand times faster than running them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Collection, MongoClient } from 'mongodb';
import { timeId } from '../lib/ids';
import type { Entry } from '../runtime/core/entries/entry';
import { type Collections, openCollections } from '../runtime/mongo/collections';
import {
  type ExecutionDocument,
  type JournalDocument,
  recordToDocument,
  tailToDocument,
} from '../runtime/mongo/documents';

const BATCH = 1_000;
const DAY_MS = 86_400_000;
/** Entries that a flush of a busy run has, about. */
const ENTRIES_PER_RECORD = 12;
const STEP_MS = 40;

/** A workflow whose runs `addLongRun` makes up: a loop over items with one step, and a step after it. */
export const LONG_STEPS = [
  {
    id: 'each',
    type: 'foreach',
    config: { items: '{{ range(10) }}', concurrency: 10 },
    steps: [
      {
        id: 'charge',
        type: 'http_request',
        config: { url: 'http://localhost:1/{{ loop.item }}' },
        on_error: 'continue',
      },
    ],
  },
  { id: 'report', type: 'set', config: { done: true } },
];

/** Fills the store of a running server with copies of one of its runs. Returns what `fill` returns. */
export async function fillFrom<T>(
  dataDir: string,
  runId: string,
  fill: (collections: Collections, template: ExecutionDocument) => Promise<T>,
): Promise<T> {
  const client = await MongoClient.connect(readFileSync(join(dataDir, 'url'), 'utf8').trim());
  try {
    const collections = openCollections(client.db());
    return await fill(collections, (await collections.executions.findOne({ _id: runId })) as ExecutionDocument);
  } finally {
    await client.close();
  }
}

/** Adds copies of an ended run: one in ten failed, the others completed, in the last 30 days before `now`. */
export async function addRuns(
  executions: Collection<ExecutionDocument>,
  template: ExecutionDocument,
  count: number,
  now: number,
): Promise<void> {
  const copy = (n: number): ExecutionDocument => {
    const startedAt = now - Math.floor(((count - n) / count) * 30 * DAY_MS);
    const failed = n % 10 === 3;
    return {
      ...template,
      _id: timeId(startedAt),
      status: failed ? 'failed' : 'completed',
      error: failed ? { code: 'http_status', message: 'The server answered 503', step_id: 'charge' } : null,
      started_at: new Date(startedAt),
      ended_at: new Date(startedAt + 1_000 + (n % 5_000)),
      duration_ms: 1_000 + (n % 5_000),
      tail: null,
    };
  };
  await addCopies(executions, copy, count);
}

async function addCopies(
  executions: Collection<ExecutionDocument>,
  copy: (n: number) => ExecutionDocument,
  count: number,
): Promise<void> {
  for (let from = 0; from < count; from += BATCH) {
    const size = Math.min(BATCH, count - from);
    await executions.insertMany(
      Array.from({ length: size }, (_, at) => copy(from + at)),
      { ordered: false },
    );
  }
}

/** Adds copies of a run that waits: every second one for a message, the others for a time after a day. */
export async function addWaitingRuns(
  executions: Collection<ExecutionDocument>,
  template: ExecutionDocument,
  count: number,
  now: number,
): Promise<void> {
  const copy = (n: number): ExecutionDocument => {
    const startedAt = now - (count - n);
    const wakeAt = n % 2 === 0 ? template.wake_at : new Date(now + DAY_MS + n);
    return { ...template, _id: timeId(startedAt), started_at: new Date(startedAt), wake_at: wakeAt };
  };
  await addCopies(executions, copy, count);
}

/** Adds a completed run of LONG_STEPS over as many items; one in a hundred has failed. Returns its id. */
export async function addLongRun(
  { executions, journal }: Pick<Collections, 'executions' | 'journal'>,
  template: ExecutionDocument,
  items: number,
  now: number,
): Promise<string> {
  const startedAt = now - (items * STEP_MS) / 10 - 1_000;
  const id = timeId(startedAt);
  const write = recorder(id);
  let batch: JournalDocument[] = [];
  let pending: Entry[] = [];
  const flush = async (min: number): Promise<void> => {
    if (pending.length >= min && pending.length > 0) {
      batch.push(recordToDocument(write(pending)));
      pending = [];
    }
    if (batch.length >= BATCH || (min === 0 && batch.length > 0)) {
      await journal.insertMany(batch, { ordered: false });
      batch = [];
    }
  };
  pending.push(openedAt(startedAt, items));
  for (let index = 0; index < items; index++) {
    pending.push(...itemEntries(index, startedAt + (index * STEP_MS) / 10));
    await flush(ENTRIES_PER_RECORD);
  }
  await flush(0);
  const endedAt = now - 1_000;
  const tail = write([...closingEntries(items, startedAt, endedAt)]);
  await executions.insertOne({
    ...template,
    _id: id,
    status: 'completed',
    error: null,
    started_at: new Date(startedAt),
    ended_at: new Date(endedAt),
    duration_ms: endedAt - startedAt,
    steps: items + 2,
    tail: tailToDocument(tail),
  });
  return id;
}

/** Numbers the records of a run. */
function recorder(executionId: string) {
  let [n, before] = [0, 0];
  return (entries: readonly Entry[]) => {
    n += 1;
    const record = { executionId, n, epoch: 1, host: 'bench', at: Date.now(), before, json: JSON.stringify(entries) };
    before += entries.length;
    return record;
  };
}

const openedAt = (at: number, items: number): Entry => ({
  kind: 'step.opened',
  path: 'each',
  at,
  opening: { kind: 'foreach', items: Array.from({ length: items }, (_, index) => index), concurrency: 10 },
});

function itemEntries(index: number, started: number): Entry[] {
  const about = { path: `each/steps[${index}]/charge`, attempt: 1 };
  const input = { method: 'GET', url: `http://localhost:1/${index}`, headers: { accept: 'application/json' } };
  const at = started + STEP_MS;
  const ended: Entry =
    index % 100 === 50
      ? {
          kind: 'step.failed',
          ...about,
          at,
          started,
          error: { code: 'http_status', message: 'The server answered 503' },
          retryAt: null,
        }
      : {
          kind: 'step.completed',
          ...about,
          at,
          started,
          output: { status: 200, body: { id: index, text: 'x'.repeat(150) } },
        };
  return [
    { kind: 'step.started', ...about, at: started, input },
    ended,
    { kind: 'loop.item', path: 'each', at, index, last: 'charge' },
  ];
}

const closingEntries = (items: number, started: number, at: number): Entry[] => [
  { kind: 'step.completed', path: 'each', attempt: 1, at, started, output: { count: items, results: [] } },
  {
    kind: 'step.completed',
    path: 'report',
    attempt: 1,
    at,
    started: at,
    input: { done: true },
    output: { done: true },
  },
  { kind: 'run.ended', at, status: 'completed', output: { done: true }, error: null },
];
