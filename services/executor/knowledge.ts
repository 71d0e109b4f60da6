import type { ServiceContext } from '../../mixins/service';
import type { KnowledgeAdded, KnowledgeContent, NewKnowledge, NodeKnowledge } from '../../nodes/contract';
import type { ActorDeps } from '../../runtime/actor/deps';
import type { App } from '../app';
import { PART_BYTES, partsOf } from '../files/contract';
import type { AddedDocument } from '../knowledge/contract';
import { answeredWhileMay } from './answered';
import { told } from './refusals';

const MISSING = 'knowledge_base_not_found';

/** The knowledge bases of a run's tenant for the steps on this host, from the service that keeps them. */
export const hostKnowledge =
  (app: App, { call, log }: ServiceContext): ActorDeps['knowledge'] =>
  ({ tenantId }, assertMay): NodeKnowledge => {
    const asService = { asServiceOf: tenantId };
    const ask = <T>(work: () => Promise<T>): Promise<T> =>
      answeredWhileMay(app, log, 'A knowledge base', assertMay, work);

    async function upload(
      base_id: string,
      { id: upload_id, ...document }: NewKnowledge,
      { filename, contentType: content_type, bytes }: Extract<KnowledgeContent, { kind: 'file' }>,
    ): Promise<AddedDocument> {
      const size = bytes.byteLength;
      await ask(() =>
        call('knowledge.begin_upload', { base_id, upload_id, filename, content_type, announced: size }, asService),
      );
      const content = Buffer.from(bytes.buffer, bytes.byteOffset, size);
      for (let n = 0; n < partsOf(size); n++) {
        const data = content.subarray(n * PART_BYTES, (n + 1) * PART_BYTES).toString('base64');
        await ask(() => call('knowledge.put_upload', { upload_id, n, data }, asService));
      }
      return ask(() => call('knowledge.commit_upload', { base_id, upload_id, size, ...aboutOf(document) }, asService));
    }

    async function add(document: NewKnowledge): Promise<KnowledgeAdded> {
      const { id: base_id } = await ask(() => call('knowledge.resolve', { ref: document.base }, asService));
      const { content, id: key } = document;
      if (content.kind === 'file') return addedOf(await upload(base_id, document, content));
      const { kind: _kind, ...source } = content;
      return addedOf(
        await ask(() => call('knowledge.add_for', { base_id, key, ...aboutOf(document), ...source }, asService)),
      );
    }

    return {
      query: ({ base, query, topK, minScore, filter, rerank }) =>
        told(MISSING, async () => {
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
      add: (document) => told(MISSING, () => add(document)),
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
