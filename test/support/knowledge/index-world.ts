import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Db, MongoClient } from 'mongodb';
import { SearchFiles } from '../../../lib/search';
import type { IndexedDocument, Namespace } from '../../../lib/search/contract';
import { DATABASE_OPTIONS } from '../../../lib/database';
import { ChangeLog } from '../../../services/knowledge/index/change-log';
import { type Source, Synchronizer } from '../../../services/knowledge/index/synchronizer';
import { createWordIndex, type WordIndex } from '../../../services/knowledge/index/words';
import type { VectorStore } from '../../../services/knowledge/vectors/contract';
import { createEmbeddedVectors, VectorRecords } from '../../../services/knowledge/vectors/embedded';
import { openTestDatabase } from '../app';
import { ManualClock } from '../manual-clock';

/** A document, and the texts of its chunks. */
export interface TextDocument extends IndexedDocument {
  readonly texts: readonly string[];
}

/** Texts in memory, instead of stored chunks, for all processes. */
export class Texts implements Source {
  readonly #documents = new Map<string, TextDocument>();

  set({ baseId }: Namespace, document: TextDocument): void {
    this.#documents.set(`${baseId}/${document.id}`, document);
  }

  delete({ baseId }: Namespace, id: string): void {
    this.#documents.delete(`${baseId}/${id}`);
  }

  async load({ baseId }: Namespace, id: string) {
    const found = this.#documents.get(`${baseId}/${id}`);
    if (found === undefined) return null;
    const chunks = found.texts.map((text, n) => ({ n, text }));
    return { revision: found.revision, pages: [{ kind: 'words' as const, chunks }] };
  }

  async list({ baseId }: Namespace, after: string, limit: number): Promise<IndexedDocument[]> {
    const own = [...this.#documents].filter(([key]) => key.startsWith(`${baseId}/`)).map(([, document]) => document);
    const sorted = own.sort((a, b) => (a.id < b.id ? -1 : 1));
    return sorted.filter(({ id }) => id > after).slice(0, limit);
  }
}

/** The indexes of one process. */
export interface IndexProcess {
  readonly dir: string;
  readonly files: SearchFiles;
  readonly synchronizer: Synchronizer;
  readonly words: WordIndex;
  readonly vectors: VectorStore;
  readonly warnings: string[];
  put(namespace: Namespace, documents: readonly TextDocument[]): Promise<void>;
  remove(namespace: Namespace, ids: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export interface ProcessOptions {
  readonly memoryBytes?: number;
  /** Folder of another process, which it follows. */
  readonly dir?: string;
}

/** A database, and as many processes on it as a test opens; `close` ends them all. */
export interface IndexWorld {
  readonly db: Db;
  readonly texts: Texts;
  open(options?: ProcessOptions): IndexProcess;
  close(): Promise<void>;
}

export async function openIndexWorld(): Promise<IndexWorld> {
  const database = await openTestDatabase();
  const { writeConcern, serverSelectionTimeoutMS } = DATABASE_OPTIONS;
  const client = await new MongoClient(database.url, { writeConcern, serverSelectionTimeoutMS }).connect();
  const db = client.db(database.name);
  const clock = new ManualClock();
  const texts = new Texts();
  const folder = mkdtempSync(join(tmpdir(), 'everstep-index-'));
  const processes: IndexProcess[] = [];
  return {
    db,
    texts,
    open({ memoryBytes = 2 ** 28, dir = mkdtempSync(join(folder, 'process-')) }: ProcessOptions = {}) {
      const warnings: string[] = [];
      const warn = (message: string): void => void warnings.push(message);
      const files = new SearchFiles({ dir, memoryBytes });
      const log = new ChangeLog(db, clock);
      const records = new VectorRecords(db);
      const sources = { words: texts, vectors: records };
      const synchronizer = new Synchronizer({ files, log, sources, clock, warn });
      const words = createWordIndex(synchronizer);
      let closing: Promise<void> | null = null;
      const process: IndexProcess = {
        dir,
        files,
        synchronizer,
        words,
        vectors: createEmbeddedVectors(records, synchronizer, log),
        warnings,
        async put(namespace, documents) {
          for (const document of documents) texts.set(namespace, document);
          await words.publishChanges(
            namespace,
            documents.map(({ id }) => id),
          );
        },
        async remove(namespace, ids) {
          for (const id of ids) texts.delete(namespace, id);
          await words.publishChanges(namespace, ids);
        },
        close: () => (closing ??= synchronizer.stop().then(() => files.close())),
      };
      processes.push(process);
      return process;
    },
    async close() {
      await Promise.all(processes.map((process) => process.close()));
      await client.close();
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
