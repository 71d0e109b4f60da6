import type { ServiceContext } from '../../mixins/service';
import type { PlatformResult, KnowledgeAdded, NewKnowledge, NodeKnowledge } from '../../nodes/contract';
import type { ActorDeps } from '../../runtime/execution/deps';
import type { App } from '../app';
import type { AddedDocument } from '../../contracts/knowledge/views';
import { retryWhileAllowed } from './retry-until-available';
import { toServiceAnswer } from './service-answer';

const MISSING = 'knowledge_base_not_found';

/** Access of steps on this host to the knowledge bases of their tenant. */
export const hostKnowledge =
  (app: App, { call, log }: ServiceContext): ActorDeps['knowledge'] =>
  ({ id: runId, tenantId }, assertMay): NodeKnowledge => {
    const asService = { asServiceOf: tenantId };
    const ask = <T>(work: () => Promise<T>): Promise<T> =>
      retryWhileAllowed(app, log, 'A knowledge base', assertMay, work);

    async function add(document: NewKnowledge): Promise<PlatformResult<KnowledgeAdded>> {
      const base = await toServiceAnswer(MISSING, () =>
        ask(() => call('knowledge.resolve', { ref: document.base }, asService)),
      );
      if (base.kind === 'refused') return base;
      const { content, id: key } = document;
      const about = { base_id: base.value.id, ...aboutOf(document) };
      if (content.kind === 'file') {
        const file = { ...about, upload_id: key, execution_id: runId, path: content.path };
        return toServiceAnswer('file_not_found', async () =>
          addedOf(await ask(() => call('knowledge.add_file_for', file, asService))),
        );
      }
      const { kind: _kind, ...source } = content;
      return toServiceAnswer(MISSING, async () =>
        addedOf(await ask(() => call('knowledge.add_for', { ...about, key, ...source }, asService))),
      );
    }

    return {
      query: ({ base, query, topK, minScore, filter, rerank }) =>
        toServiceAnswer(MISSING, async () => {
          const asked = {
            id: base,
            query,
            ...(topK === undefined ? {} : { top_k: topK }),
            ...(minScore === undefined ? {} : { min_score: minScore }),
            ...(filter === undefined ? {} : { filter }),
            ...(rerank === undefined ? {} : { rerank }),
          };
          const { data, mode, knowledge_base_id, warnings, usage } = await ask(() =>
            call('knowledge.query_for', asked, asService),
          );
          return {
            hits: data,
            mode,
            baseId: knowledge_base_id,
            warnings,
            ...(usage === undefined ? {} : { usage: usedOf(usage) }),
          };
        }),
      add,
    };
  };

const usedOf = ({ input_tokens, cost_usd }: { input_tokens: number; cost_usd: number | null }) => ({
  input_tokens,
  ...(cost_usd === null ? {} : { cost_usd }),
});

const aboutOf = ({ name, metadata }: Pick<NewKnowledge, 'name' | 'metadata'>) => ({
  ...(name === undefined ? {} : { name }),
  ...(metadata === undefined ? {} : { metadata }),
});

const addedOf = ({ id, knowledge_base_id, name, status, chunks, duplicate }: AddedDocument): KnowledgeAdded => ({
  documentId: id,
  baseId: knowledge_base_id,
  name,
  status,
  chunks,
  duplicate: duplicate === true,
});
