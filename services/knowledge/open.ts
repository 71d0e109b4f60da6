import { join } from 'node:path';
import type { Db } from 'mongodb';
import { errorMessage } from '../../lib/errors';
import { LeaderLock } from '../../lib/leader-lock';
import { SearchFiles } from '../../lib/search';
import type { ServiceContext } from '../../mixins/service';
import type { App } from '../app';
import { bytesOfTenant, statisticsOf, EMPTY_STATISTICS } from './bases/statistics';
import { Bases } from './bases/store';
import { baseWork } from './bases/work';
import { Contents } from './documents/contents';
import { Documents } from './documents/store';
import { ChangeLog } from './index/change-log';
import { Synchronizer } from './index/synchronizer';
import { createWordIndex, WordSource } from './index/words';
import { documentWork } from './ingest';
import { type BaseRecord, createKnowledgeIndexes, type DocumentRecord, knowledgeModels } from './models';
import type { KnowledgeParts } from './parts';
import { Providers } from './providers';
import { KnowledgeQuota } from './quota';
import { KnowledgeSweep } from './sweep';
import { createEmbeddedVectors, VectorRecords } from './vectors/embedded';
import { createQdrantVectors } from './vectors/qdrant';
import { Runner } from './work/runner';

/** Documents that one process reads at the same time; of one tenant only one, while others wait. */
const DOCUMENTS_AT_ONCE = 2;
const BASES_AT_ONCE = 1;

/** All parts of the service, without its actions. */
export interface Knowledge {
  readonly parts: KnowledgeParts;
  readonly bases: Bases;
  readonly documents: Documents;
  /** Who does the work on documents, and on bases. */
  readonly documentRunner: Runner<DocumentRecord>;
  readonly baseRunner: Runner<BaseRecord>;
  readonly sweep: KnowledgeSweep;
  /** The index files of this process, and what keeps them up to date. */
  readonly files: SearchFiles;
  readonly synchronizer: Synchronizer;
  /** Makes indexes, and begins to work. */
  start(): Promise<void>;
  /** Gives work back, and closes what was opened. */
  stop(): Promise<void>;
}

/** Opens what the service works with; nothing is begun before `start`. `service`: there from then on. */
export function openKnowledge(app: App, service: () => ServiceContext): Knowledge {
  const { clock, config } = app;
  const { qdrant, namespace } = config;
  const db = app.db.db as unknown as Db;
  const warn = (message: string, fault?: unknown): void =>
    service().log.warn(fault === undefined ? message : `${message}: ${errorMessage(fault)}`);
  const models = knowledgeModels(app.db);
  const files = new SearchFiles({
    dir: join(config.dataDir, 'knowledge-index'),
    memoryBytes: config.knowledgeIndexBytes,
  });
  const log = new ChangeLog(db, clock);
  const records = new VectorRecords(db);
  const sources = { words: new WordSource(models), vectors: records };
  const synchronizer = new Synchronizer({ files, log, sources, clock, warn });
  const providers = new Providers(app);
  const quota = new KnowledgeQuota({
    now: () => clock.now(),
    sum: async (tenantId) =>
      (await bytesOfTenant(models.documents, tenantId)).bytes + (await bytesOfTenant(models.uploads, tenantId)).bytes,
    limit: async (tenantId) => {
      const { limits } = await service().call('auth.entitlements', {}, { asServiceOf: tenantId });
      return limits.knowledge_base_mb;
    },
  });
  const parts: KnowledgeParts = {
    app,
    models,
    contents: new Contents(models, clock, quota),
    words: createWordIndex(synchronizer),
    vectors:
      qdrant === null
        ? createEmbeddedVectors(records, synchronizer, log)
        : createQdrantVectors({ config: qdrant, namespace, clock }),
    parsers: app.parsers,
    providers,
    quota,
    call: (action, params, options) => service().call(action, params, options),
    warn,
  };
  const documentRunner = new Runner({
    model: models.documents,
    clock,
    concurrency: DOCUMENTS_AT_ONCE,
    marks: ['state', 'last_revision'],
    work: documentWork(parts),
    warn,
  });
  const baseRunner = new Runner({
    model: models.bases,
    clock,
    concurrency: BASES_AT_ONCE,
    marks: ['state', 'last_generation'],
    work: baseWork(parts),
    warn,
  });
  const lock = new LeaderLock(db, 'knowledge-sweep', app.nodeId, clock);
  const sweep = new KnowledgeSweep(parts, lock, () => documentRunner.kick());
  return {
    parts,
    bases: new Bases({
      model: models.bases,
      clock,
      platform: config.llm.platform,
      missing: async (tenantId, names) =>
        (await service().call('secrets.missing', { names }, { asServiceOf: tenantId })).names,
      chunks: async ({ tenant_id, _id }) =>
        ((await statisticsOf(models.documents, tenant_id, [_id])).get(_id) ?? EMPTY_STATISTICS).chunks,
    }),
    documents: new Documents(parts, documentRunner),
    documentRunner,
    baseRunner,
    sweep,
    files,
    synchronizer,
    async start() {
      await Promise.all([createKnowledgeIndexes(models), log.createIndexes(), records.createIndexes()]);
      synchronizer.start();
      await Promise.all([documentRunner.start(app.exclusive), baseRunner.start(app.exclusive)]);
      sweep.start();
    },
    async stop() {
      await sweep.stop();
      await Promise.all([documentRunner.stop(), baseRunner.stop()]);
      await providers.close();
      await synchronizer.stop();
      await files.close();
    },
  };
}
