import type { Db } from 'mongodb';
import { errorMessage } from '../../lib/errors';
import type { ServiceContext } from '../../mixins/service';
import type { App } from '../app';
import { bytesOfTenant } from './bases/figures';
import { Contents } from './documents/contents';
import { createLexicalIndex, openIndexMachine, type SegmentMachine } from './index';
import { createKnowledgeIndexes, knowledgeModels } from './models';
import type { KnowledgeParts } from './parts';
import { Providers } from './providers';
import { Room } from './quota';
import { createEmbeddedVectors } from './vectors/embedded';
import { openVectorStore } from './vectors';

/** The parts of the service, and what they rest on. */
export interface OpenKnowledge {
  readonly parts: KnowledgeParts;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Opens what the service works with; nothing is begun before `start`. `service`: there from then on. */
export function openKnowledge(app: App, service: () => ServiceContext): OpenKnowledge {
  const { clock, db } = app;
  const warn = (message: string, fault?: unknown): void =>
    service().log.warn(fault === undefined ? message : `${message}: ${errorMessage(fault)}`);
  const models = knowledgeModels(db);
  const machine: SegmentMachine = openIndexMachine({ db: db.db as unknown as Db, clock, warn });
  const providers = new Providers(app);
  const room = new Room({
    now: () => clock.now(),
    sum: async (tenantId) => (await bytesOfTenant(models.documents, tenantId)).bytes,
    limit: async (tenantId) => {
      const { limits } = await service().call('auth.entitlements', {}, { asServiceOf: tenantId });
      return limits.knowledge_base_mb;
    },
  });
  return {
    parts: {
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
    },
    async start() {
      await Promise.all([createKnowledgeIndexes(models), machine.createIndexes()]);
      machine.start();
    },
    async close() {
      await providers.close();
      await machine.close();
    },
  };
}
