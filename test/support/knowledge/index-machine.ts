import { type Db, MongoClient } from 'mongodb';
import { DATABASE_OPTIONS } from '../../../mixins/database';
import type { LexicalIndex } from '../../../services/knowledge/index/contract';
import { createLexicalIndex, openIndexMachine, type SegmentMachine } from '../../../services/knowledge/index';
import type { VectorStore } from '../../../services/knowledge/vectors/contract';
import { createEmbeddedVectors } from '../../../services/knowledge/vectors/embedded';
import { openTestDatabase } from '../app';
import { compiledFile } from '../compiled';
import { ManualClock } from '../manual-clock';

/** The index as one process has it. */
export interface IndexProcess {
  readonly machine: SegmentMachine;
  readonly lexical: LexicalIndex;
  readonly vectors: VectorStore;
  readonly warnings: string[];
}

export interface ProcessOptions {
  /** In a worker thread, as the product has it. */
  readonly thread?: boolean;
  readonly memoryBytes?: number;
  readonly inlineBytes?: number;
  /** What stands between the index and its database. */
  readonly through?: (db: Db) => Db;
}

/** A database, and as many processes over it as a test opens; `close` ends them all. */
export interface IndexWorld {
  readonly db: Db;
  readonly clock: ManualClock;
  open(options?: ProcessOptions): IndexProcess;
  close(): Promise<void>;
}

export async function openIndexWorld(): Promise<IndexWorld> {
  const database = await openTestDatabase();
  const { writeConcern, serverSelectionTimeoutMS } = DATABASE_OPTIONS;
  const client = await new MongoClient(database.url, { writeConcern, serverSelectionTimeoutMS }).connect();
  const db = client.db(database.name);
  const clock = new ManualClock();
  const machines: SegmentMachine[] = [];
  return {
    db,
    clock,
    open({ thread = false, memoryBytes, inlineBytes, through = (given: Db) => given }: ProcessOptions = {}) {
      const warnings: string[] = [];
      const entry = thread ? { entry: worker() } : {};
      const room = memoryBytes === undefined ? {} : { memoryBytes };
      const warn = (message: string): void => void warnings.push(message);
      const machine = openIndexMachine({ db: through(db), clock, warn, inlineBytes, ...entry, ...room });
      machines.push(machine);
      return { machine, lexical: createLexicalIndex(machine), vectors: createEmbeddedVectors(machine), warnings };
    },
    async close() {
      await Promise.all(machines.map((machine) => machine.close()));
      await client.close();
      await database.close();
    },
  };
}

const worker = (): string => compiledFile('services/knowledge/index/engine/worker.ts', ['services/knowledge/index']);

const WRITES = new Set<PropertyKey>(['insertOne', 'updateOne', 'deleteOne', 'deleteMany', 'findOneAndDelete']);

/** A process that dies at a write: at the k-th (from 0), before it or just after, and does nothing from then on. */
export class DyingProcess {
  writes = 0;
  #dead = false;

  constructor(
    private readonly at: number,
    private readonly when: 'before' | 'after',
  ) {}

  get dead(): boolean {
    return this.#dead;
  }

  readonly through = (db: Db): Db =>
    proxied(db, {
      collection: (name: string, options: object) =>
        proxied(db.collection(name, options), {}, (call, property) => this.#call(call, property)),
    });

  async #call(call: () => unknown, property: PropertyKey): Promise<unknown> {
    if (this.#dead) throw new Error('The process is dead');
    if (!WRITES.has(property)) return call();
    const dies = this.writes++ === this.at;
    if (dies && this.when === 'after') await call();
    if (dies) this.#dead = true;
    if (dies) throw new Error('The process has died');
    return call();
  }
}

type Interceptor = (call: () => unknown, property: PropertyKey) => unknown;

/** The same object with some members replaced, and its promises (not its cursors) going through an interceptor. */
function proxied<T extends object>(target: T, members: object, intercept?: Interceptor): T {
  return new Proxy(target, {
    get(_target, property) {
      if (Object.hasOwn(members, property)) return Reflect.get(members, property);
      const value: unknown = Reflect.get(target, property);
      if (typeof value !== 'function') return value;
      if (intercept === undefined || !(WRITES.has(property) || property === 'findOne')) return value.bind(target);
      return (...args: unknown[]) => intercept(() => Reflect.apply(value, target, args), property);
    },
  });
}
