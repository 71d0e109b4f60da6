import type { Db } from 'mongodb';
import type { ServiceSchema } from 'moleculer';
import { randomId } from '../../../lib/ids';
import type { Recorded } from '../../../mixins/audit';
import { serviceContext } from '../../../mixins/service';
import { auditService } from '../../../services/audit/audit.service';
import { authService } from '../../../services/auth/auth.service';
import type { KnowledgeBaseFields } from '../../../contracts/knowledge/views';
import type { BaseRecord, DocumentRecord } from '../../../services/knowledge/models';
import { type Knowledge, openKnowledge } from '../../../services/knowledge/open';
import { parseQuery, search } from '../../../services/knowledge/search';
import { secretsService } from '../../../services/secrets/secrets.service';
import { registerTenant } from '../accounts';
import { startApp, type StartOptions, type TestApp } from '../app';
import { LeapingClock } from '../leaping-clock';
import { until } from '../until';

/** Knowledge bases without actions and HTTP: a test decides when background work runs. */
export interface KnowledgeHouse {
  readonly t: TestApp;
  readonly clock: LeapingClock;
  readonly db: Db;
  readonly tenantId: string;
  readonly knowledge: Knowledge;
  /** Another process on the same database. To be stopped. */
  open(): Knowledge;
  makeBase(fields?: Omit<KnowledgeBaseFields, 'name'>): Promise<BaseRecord>;
  base(id: string): Promise<BaseRecord | null>;
  document(id: string): Promise<DocumentRecord | null>;
  /** Texts of the hits, the best first. */
  find(base: BaseRecord, query: string): Promise<string[]>;
  /** Advances the time until leases have expired, and runs all due work. */
  recovered(): Promise<void>;
  /** Counts of stored objects, over all bases. */
  counts(): Promise<Record<string, number>>;
  close(): Promise<void>;
}

/** Runs an action without an audit record. */
export const unrecorded: Recorded = (_change, act) => act();

const KEPT = {
  documents: 'knowledge_documents',
  chunks: 'knowledge_chunks',
  parts: 'knowledge_contents',
  uploads: 'knowledge_uploads',
  paid: 'knowledge_embeddings',
} as const;

/** Longer than any lease and any delay of a retry. */
const LONG_MS = 2 * 60_000;

export async function openKnowledgeHouse(options: Partial<StartOptions> = {}): Promise<KnowledgeHouse> {
  const services: readonly ((app: TestApp['app']) => ServiceSchema)[] = [authService, auditService, secretsService];
  const clock = new LeapingClock();
  const t = await startApp({ services, clock, ...options });
  const db = t.app.db.db as unknown as Db;
  const { tenant } = await registerTenant(t);
  const open = (): Knowledge =>
    openKnowledge(t.app, () => serviceContext(t.app, t.broker, t.broker.getLogger('knowledge')));
  const knowledge = open();
  await knowledge.start();
  const { models } = knowledge.deps;
  const exists = async (filter: object): Promise<boolean> =>
    (await models.documents.exists(filter)) !== null || (await models.bases.exists(filter)) !== null;
  const house: KnowledgeHouse = {
    t,
    clock,
    db,
    tenantId: tenant.id,
    knowledge,
    open,
    makeBase: (fields = {}) => knowledge.bases.create(tenant.id, { name: randomId(), ...fields }, unrecorded),
    base: (id) => models.bases.findById(id).lean().exec(),
    document: (id) => models.documents.findById(id).lean().exec(),
    async find(base, query) {
      const owner = { call: knowledge.deps.call, tenantId: base.tenant_id };
      const current = (await house.base(base._id)) ?? base;
      const { data } = await search(knowledge.deps, owner, current, parseQuery({ query, top_k: 10 }));
      return data.map(({ text }) => text);
    },
    async recovered() {
      clock.leap(LONG_MS);
      await until('nothing is due', async () => {
        knowledge.documentRunner.kick();
        knowledge.baseRunner.kick();
        if (await exists({ due_at: { $gt: new Date(0), $lte: new Date(clock.now()) } })) return false;
        if (await exists({ owner: { $gt: '' } })) return false;
        if (!(await exists({ due_at: { $gt: new Date(0), $lte: new Date(clock.now() + LONG_MS) } }))) return true;
        clock.leap(LONG_MS);
        return false;
      });
    },
    async counts() {
      const counted = Object.entries(KEPT).map(
        async ([name, collection]) => [name, await db.collection(collection).countDocuments()] as const,
      );
      return Object.fromEntries(await Promise.all(counted));
    },
    async close() {
      await knowledge.stop();
      await t.close();
    },
  };
  return house;
}

const WRITES = [
  'insertOne',
  'insertMany',
  'updateOne',
  'updateMany',
  'replaceOne',
  'deleteOne',
  'deleteMany',
  'findOneAndUpdate',
  'bulkWrite',
] as const;
type Write = (...given: unknown[]) => Promise<unknown>;

/**
 * Lets the process die at its nth write to the data of knowledge bases, from 1: none of its later requests has an effect.
 * A death after a write is the same as one before the next. Returns whether the process died.
 */
export async function dyingAt(db: Db, n: number, act: () => Promise<unknown>): Promise<boolean> {
  const driver = Object.getPrototypeOf(db.collection('any')) as Record<string, Write>;
  let writes = 0;
  const spies = WRITES.map((name) => {
    const real = driver[name] as Write;
    return jest.spyOn(driver, name).mockImplementation(async function (this: unknown, ...given) {
      const { collectionName } = this as { collectionName: string };
      if (!collectionName.startsWith('knowledge_')) return real.apply(this, given);
      writes += 1;
      if (writes < n) return real.apply(this, given);
      throw new Error('the process has died');
    });
  });
  try {
    await act().catch(() => undefined);
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return writes >= n;
}
