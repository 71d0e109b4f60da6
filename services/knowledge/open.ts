import type { Db } from 'mongodb';
import { errorMessage } from '../../lib/errors';
import { ChoreLease } from '../../mixins/lease';
import type { ServiceContext } from '../../mixins/service';
import type { App } from '../app';
import { bytesOfTenant, figuresOf, NO_FIGURES } from './bases/figures';
import { Bases } from './bases/store';
import { baseWork } from './bases/work';
import { Contents } from './documents/contents';
import { Documents } from './documents/store';
import { createLexicalIndex, openIndexMachine } from './index';
import { documentWork } from './ingest';
import { type BaseRecord, createKnowledgeIndexes, type DocumentRecord, knowledgeModels } from './models';
import type { KnowledgeParts } from './parts';
import { Providers } from './providers';
import { Room } from './quota';
import { KnowledgeSweep } from './sweep';
import { createEmbeddedVectors } from './vectors/embedded';
import { openVectorStore } from './vectors';
import { Runner } from './work/runner';

/** Documents that one process reads at the same time; of one tenant only one, while others wait. */
const DOCUMENTS_AT_ONCE = 2;
const BASES_AT_ONCE = 1;

/** All that the service does, without its menu. */
export interface Knowledge {
  readonly parts: KnowledgeParts;
  readonly bases: Bases;
  readonly documents: Documents;
  /** Who does the work on documents, and on bases. */
  readonly documentRunner: Runner<DocumentRecord>;
  readonly baseRunner: Runner<BaseRecord>;
  readonly sweep: KnowledgeSweep;
  /** Makes indexes, and begins to work. */
  start(): Promise<void>;
  /** Gives work back, and closes what was opened. */
  stop(): Promise<void>;
}

/** Opens what the service works with; nothing is begun before `start`. `service`: there from then on. */
export function openKnowledge(app: App, service: () => ServiceContext): Knowledge {
  const { clock, config } = app;
  const db = app.db.db as unknown as Db;
  const warn = (message: string, fault?: unknown): void =>
    service().log.warn(fault === undefined ? message : `${message}: ${errorMessage(fault)}`);
  const models = knowledgeModels(app.db);
  const machine = openIndexMachine({ db, clock, warn, memoryBytes: config.knowledgeIndexBytes });
  const providers = new Providers(app);
  const room = new Room({
    now: () => clock.now(),
    sum: async (tenantId) => (await bytesOfTenant(models.documents, tenantId)).bytes,
    limit: async (tenantId) => {
      const { limits } = await service().call('auth.entitlements', {}, { asServiceOf: tenantId });
      return limits.knowledge_base_mb;
    },
  });
  const parts: KnowledgeParts = {
    app,
    models,
    contents: new Contents(models, clock),
    lexical: createLexicalIndex(machine),
    vectors: openVectorStore(app, () => createEmbeddedVectors(machine)),
    parsers: app.parsers,
    providers,
    room,
    call: (action, params, options) => service().call(action, params, options),
    warn,
  };
  const documentRunner = new Runner({
    model: models.documents,
    clock,
    room: DOCUMENTS_AT_ONCE,
    marks: ['state', 'last_revision'],
    work: documentWork(parts),
    warn,
  });
  const baseRunner = new Runner({
    model: models.bases,
    clock,
    room: BASES_AT_ONCE,
    marks: ['state', 'last_generation'],
    work: baseWork(parts),
    warn,
  });
  const lease = new ChoreLease(db, 'knowledge-sweep', app.nodeId, clock);
  const sweep = new KnowledgeSweep(parts, lease, () => documentRunner.kick());
  return {
    parts,
    bases: new Bases({
      model: models.bases,
      clock,
      platform: config.llm.platform,
      missing: async (tenantId, names) =>
        (await service().call('secrets.missing', { names }, { asServiceOf: tenantId })).names,
      chunks: async ({ tenant_id, _id }) =>
        ((await figuresOf(models.documents, tenant_id, [_id])).get(_id) ?? NO_FIGURES).chunks,
    }),
    documents: new Documents(parts, documentRunner),
    documentRunner,
    baseRunner,
    sweep,
    async start() {
      await Promise.all([createKnowledgeIndexes(models), machine.createIndexes()]);
      machine.start();
      await Promise.all([documentRunner.start(app.exclusive), baseRunner.start(app.exclusive)]);
      sweep.start();
    },
    async stop() {
      await sweep.stop();
      await Promise.all([documentRunner.stop(), baseRunner.stop()]);
      await providers.close();
      await machine.close();
    },
  };
}
