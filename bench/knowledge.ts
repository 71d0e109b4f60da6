/**
 * What the index of knowledge bases takes: `npm run bench:knowledge -- --chunks 100000`. The index is measured in this
 * process, with the built-in store and the thread that the product has; texts come in over HTTP to a server of their own.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { MongoClient } from 'mongodb';
import { type OpenedStore, openStore } from '../embedded';
import { systemClock } from '../lib/clock';
import { SearchFiles } from '../lib/search';
import type { IndexedDocument, Namespace } from '../lib/search/contract';
import { ChangeLog } from '../services/knowledge/index/change-log';
import { type Source, Synchronizer } from '../services/knowledge/index/synchronizer';
import { createWordIndex, type WordIndex } from '../services/knowledge/index/words';
import type { VectorStore } from '../services/knowledge/vectors/contract';
import { createEmbeddedVectors, VectorRecords } from '../services/knowledge/vectors/embedded';
import { Tenant } from './client';
import { percentile } from './percentile';
import { startServer } from './server';
import { table } from './tables';

const DIMENSION = 384;
const CHUNKS_OF_A_DOCUMENT = 20;
const WORDS_OF_A_CHUNK = 120;
const VOCABULARY = 50_000;
const DOCUMENTS_AT_ONCE = 20;
const QUERIES = 500;
const TOP = 50;
const INGEST_MS = 20_000;
const INGEST_BYTES = 2_048;
const IN_FLIGHT = 8;

const MEMORY_BYTES = 512 * 2 ** 20;
const NS = Array.from({ length: CHUNKS_OF_A_DOCUMENT }, (_, n) => n);

const SPACE: Namespace = { tenantId: 'bench', baseId: 'bench' };
const VECTORS = { ...SPACE, generation: 0, dimension: DIMENSION };
const OPTIONS = { limit: TOP, documents: null };

/** Words as languages have them: some everywhere, most nearly nowhere. */
const word = (): string => `w${Math.floor(VOCABULARY * Math.random() ** 4).toString(36)}`;
const text = (words: number): string => Array.from({ length: words }, word).join(' ');
const vector = (rows = 1): Float32Array => Float32Array.from({ length: rows * DIMENSION }, () => Math.random() - 0.5);

interface Opened {
  readonly store: OpenedStore;
  readonly client: MongoClient;
  readonly files: SearchFiles;
  readonly synchronizer: Synchronizer;
  readonly words: WordIndex;
  readonly vectors: VectorStore;
}

/** Random texts instead of stored chunks. */
const texts: Source = {
  load: async () => ({
    revision: 1,
    pages: [{ kind: 'words', chunks: NS.map((n) => ({ n, text: text(WORDS_OF_A_CHUNK) })) }],
  }),
  list: async (): Promise<IndexedDocument[]> => [],
};

async function open(dir: string): Promise<Opened> {
  const store = await openStore({ dir });
  const client = await new MongoClient(store.url, { writeConcern: { w: 'majority', journal: true } }).connect();
  const db = client.db();
  const files = new SearchFiles({ dir: join(dir, 'knowledge-index'), memoryBytes: MEMORY_BYTES });
  const log = new ChangeLog(db, systemClock);
  const records = new VectorRecords(db);
  await Promise.all([log.createIndexes(), records.createIndexes()]);
  const sources = { words: texts, vectors: records };
  const synchronizer = new Synchronizer({ files, log, sources, clock: systemClock, warn: say });
  const words = createWordIndex(synchronizer);
  return { store, client, files, synchronizer, words, vectors: createEmbeddedVectors(records, synchronizer, log) };
}

async function close({ store, client, files, synchronizer }: Opened): Promise<void> {
  await synchronizer.stop();
  await files.close();
  await client.close();
  await store.close();
}

async function fill({ words, vectors, synchronizer }: Opened, chunks: number): Promise<void> {
  const documents = Math.ceil(chunks / CHUNKS_OF_A_DOCUMENT);
  for (let from = 0; from < documents; from += DOCUMENTS_AT_ONCE) {
    const ids = Array.from({ length: Math.min(DOCUMENTS_AT_ONCE, documents - from) }, (_, n) => `document-${from + n}`);
    await words.publishChanges(SPACE, ids);
    await vectors.put(
      VECTORS,
      ids.map((id) => ({ id, revision: 1, chunkNumbers: NS, vectors: vector(NS.length) })),
    );
    // So that no change is older than the log lists.
    await Promise.all([
      synchronizer.sync({ ...SPACE, kind: 'words', generation: 0 }),
      synchronizer.sync({ ...SPACE, kind: 'vectors', generation: 0 }),
    ]);
    if (from % 500 === 0) say(`${from * CHUNKS_OF_A_DOCUMENT} chunks`);
  }
}

/** Milliseconds: median, 99th percentile, most. */
async function timed(name: string, count: number, query: () => Promise<unknown>): Promise<(string | number)[]> {
  const took: number[] = [];
  for (let n = 0; n < count; n++) {
    const began = performance.now();
    await query();
    took.push(performance.now() - began);
  }
  return [name, ...[0.5, 0.99, 1].map((share) => percentile(took, share).toFixed(1))];
}

async function queries({ words: lexical, vectors }: Opened): Promise<(string | number)[][]> {
  const words = (): Promise<unknown> => lexical.search(SPACE, text(6), OPTIONS);
  const near = (): Promise<unknown> => vectors.search(VECTORS, vector(), OPTIONS);
  const few = new Set(Array.from({ length: 50 }, (_, n) => `document-${n}`));
  return [
    await timed('vectors', QUERIES, near),
    await timed('vectors, of 50 documents', QUERIES, () =>
      vectors.search(VECTORS, vector(), { ...OPTIONS, documents: few }),
    ),
    await timed('words, 6', QUERIES, words),
    await timed('words, 6 that are in most chunks', QUERIES, () => lexical.search(SPACE, 'w0 w1 w2 w3 w4 w5', OPTIONS)),
    await timed('both at once', QUERIES, () => Promise.all([words(), near()])),
  ];
}

/** Seconds from nothing to the first answer of both lists, the store included. */
async function restart(dir: string): Promise<{ seconds: number; opened: Opened }> {
  const began = performance.now();
  const opened = await open(dir);
  await Promise.all([opened.words.search(SPACE, text(6), OPTIONS), opened.vectors.search(VECTORS, vector(), OPTIONS)]);
  return { seconds: (performance.now() - began) / 1_000, opened };
}

/** Texts of 2 KiB into a base without an embedding model, until each is ready. */
async function ingest(): Promise<(string | number)[]> {
  const server = await startServer();
  try {
    const tenant = await Tenant.register(server.url);
    const base = await tenant.knowledgeBase('Bench');
    const took: number[] = [];
    const cpu = server.cpuSeconds();
    const until = performance.now() + INGEST_MS;
    const lane = async (): Promise<void> => {
      while (performance.now() < until) {
        const began = performance.now();
        await tenant.addText(base, text(INGEST_BYTES).slice(0, INGEST_BYTES));
        took.push(performance.now() - began);
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
    const perSecond = took.length / (INGEST_MS / 1_000);
    const cpuMs = ((server.cpuSeconds() - cpu) * 1_000) / took.length;
    const [p50, p99] = [0.5, 0.99].map((share) => percentile(took, share).toFixed(1));
    return ['texts of 2 KiB over HTTP', perSecond.toFixed(0), p50 as string, p99 as string, cpuMs.toFixed(1)];
  } finally {
    await server.stop();
  }
}

const rssMib = (): number => Math.round(process.memoryUsage.rss() / 2 ** 20);
const print = (rendered: string): void => void process.stdout.write(`${rendered}\n\n`);
const say = (message: string): void => void process.stderr.write(`${message}\n`);

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { chunks: { type: 'string', default: '100000' } } });
  const chunks = Number(values.chunks);
  const dir = mkdtempSync(join(tmpdir(), 'bench-knowledge-'));
  try {
    const first = await open(dir);
    const [before, began] = [rssMib(), performance.now()];
    await fill(first, chunks);
    const built = (performance.now() - began) / 1_000;
    await close(first);
    say('restart');
    const { seconds, opened } = await restart(dir);
    const rows = await queries(opened);
    print(table([`${chunks} chunks`, 'p50 ms', 'p99 ms', 'most ms'], rows));
    print(
      table(
        ['', 'value'],
        [
          ['built, chunks a second', (chunks / built).toFixed(0)],
          ['restart to first answer, s', seconds.toFixed(2)],
          ['RSS before, MiB', before],
          ['RSS in the end, MiB', rssMib()],
        ],
      ),
    );
    await close(opened);
    say('ingest');
    print(table(['', 'per second', 'p50 ms', 'p99 ms', 'CPU ms each'], [await ingest()]));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
