import { join } from 'node:path';
import type { Db } from 'mongodb';
import { errorMessage } from '../../lib/errors';
import { LeaderLock } from '../../lib/leader-lock';
import { SearchFiles } from '../../lib/search';
import type { ServiceContext } from '../../mixins/service';
import type { App } from '../app';
import { bytesOfTenant, statisticsOf, EMPTY_STATISTICS } from './bases/statistics';
import { Bases } from './bases/store';
import { processBase } from './bases/work';
import { TenantEvents } from '../../mixins/tenant-events';
import { ChangeNotices } from './change-notices';
import { ContentStore } from './documents/content-store';
import { Documents } from './documents/store';
import { ChangeLog } from './index/change-log';
import { Synchronizer } from './index/synchronizer';
import { createWordIndex, WordSource } from './index/words';
import { processDocument } from './ingest';
import { type BaseRecord, createKnowledgeIndexes, type DocumentRecord, knowledgeModels } from './models';
import type { KnowledgeDeps } from './deps';
import { Providers } from './providers';
import { KnowledgeQuota } from './quota';
import { KnowledgeSweep } from './sweep';
import { createEmbeddedVectors, VectorRecords } from './vectors/embedded';
import { createQdrantVectors } from './vectors/qdrant';
import { Runner } from '../../mixins/leased-work/runner';

/** Documents ingested concurrently by one process. While other tenants wait, a tenant has at most one. */
const DOCUMENT_CONCURRENCY = 2;
const BASE_CONCURRENCY = 1;

/** The service without its actions. */
export interface Knowledge {
  readonly deps: KnowledgeDeps;
  readonly bases: Bases;
  readonly documents: Documents;
  readonly documentRunner: Runner<DocumentRecord>;
  readonly baseRunner: Runner<BaseRecord>;
  readonly sweep: KnowledgeSweep;
  /** Index files of this process. */
  readonly files: SearchFiles;
  readonly synchronizer: Synchronizer;
  /** Who subscribes to the events of tenants. */
  readonly tenantEvents: TenantEvents;
  /** Creates the database indexes and starts the workers. */
  start(): Promise<void>;
  /** Releases leases and closes all resources. */
  stop(): Promise<void>;
}

/** Creates the parts of the service; nothing runs before `start`. `service` may be called from then on. */
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
    measureBytes: async (tenantId) =>
      (await bytesOfTenant(models.documents, tenantId)).bytes + (await bytesOfTenant(models.uploads, tenantId)).bytes,
    readLimit: async (tenantId) => {
      const { limits } = await service().call('auth.entitlements', {}, { asServiceOf: tenantId });
      return limits.knowledge_base_mb;
    },
  });
  const tenantEvents = new TenantEvents(clock);
  const notices = new ChangeNotices(clock, tenantEvents, service);
  const deps: KnowledgeDeps = {
    app,
    models,
    contents: new ContentStore(models, clock, quota),
    words: createWordIndex(synchronizer),
    vectors:
      qdrant === null
        ? createEmbeddedVectors(records, synchronizer, log)
        : createQdrantVectors({ config: qdrant, namespace, clock }),
    parsers: app.parsers,
    providers,
    quota,
    notices,
    call: (action, params, options) => service().call(action, params, options),
    warn,
  };
  const documentRunner = new Runner({
    model: models.documents,
    noun: 'documents',
    clock,
    concurrency: DOCUMENT_CONCURRENCY,
    fence: ['state', 'last_revision'],
    process: processDocument(deps),
    onWritten: ({ tenant_id, base_id }) => notices.changed(tenant_id, base_id),
    warn,
  });
  const baseRunner = new Runner({
    model: models.bases,
    noun: 'knowledge bases',
    clock,
    concurrency: BASE_CONCURRENCY,
    fence: ['state', 'last_generation'],
    process: processBase(deps),
    onWritten: ({ tenant_id, _id }) => notices.changed(tenant_id, _id),
    warn,
  });
  const lock = new LeaderLock(db, 'knowledge-sweep', app.nodeId, clock);
  const sweep = new KnowledgeSweep(deps, lock, () => documentRunner.kick());
  return {
    deps,
    bases: new Bases({
      model: models.bases,
      clock,
      platform: config.llm.platform,
      missingSecrets: async (tenantId, names) =>
        (await service().call('secrets.missing', { names }, { asServiceOf: tenantId })).names,
      countChunks: async ({ tenant_id, _id }) =>
        ((await statisticsOf(models.documents, tenant_id, [_id])).get(_id) ?? EMPTY_STATISTICS).chunks,
    }),
    documents: new Documents(deps, documentRunner),
    documentRunner,
    baseRunner,
    sweep,
    files,
    synchronizer,
    tenantEvents,
    async start() {
      await Promise.all([createKnowledgeIndexes(models), log.createIndexes(), records.createIndexes()]);
      synchronizer.start();
      await Promise.all([documentRunner.start(app.exclusive), baseRunner.start(app.exclusive)]);
      sweep.start();
    },
    async stop() {
      notices.stop();
      await sweep.stop();
      await Promise.all([documentRunner.stop(), baseRunner.stop()]);
      await providers.close();
      await synchronizer.stop();
      await files.close();
    },
  };
}
