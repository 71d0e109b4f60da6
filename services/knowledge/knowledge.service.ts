import { knowledgeContract } from '../../contracts/knowledge';
import type { ServiceBroker, ServiceSchema } from 'moleculer';
import { decodeBase64 } from '../../lib/base64';
import { AppError } from '../../lib/errors';
import { secondsOf } from '../../lib/metrics';
import { auditedBy, type Recorded, recordedBy } from '../../mixins/audit';
import { assertMaySendSecrets, secretNamed } from '../../mixins/secret-reference';
import { type ActionContext, defineService, onStale, type ServiceContext } from '../../mixins/service';
import { type App, appOf } from '../app';
import type { ActionName } from '../../contracts/catalogue';
import { partsOf } from '../../contracts/files';
import { bytesOfTenant, statisticsOf, EMPTY_STATISTICS } from './bases/statistics';
import type {
  KnowledgeAnswer,
  KnowledgeBaseFields,
  KnowledgeBaseView,
  KnowledgeQuery,
} from '../../contracts/knowledge/views';
import { importRunFile } from './documents/import-run-file';
import type { BaseRecord } from './models';
import { openKnowledge } from './open';
import { parseQuery, search } from './search';
import { baseView, chunkView, documentView } from './views';
import { pageOf } from '../../lib/page';
import { assertUnused } from '../../mixins/in-use';

type Caller = ActionContext<ActionName>;

/** Knowledge bases: ingests texts, files and URLs, and searches them by words and vectors. */
export const knowledgeService = (app: App): ServiceSchema => {
  let service: ServiceContext;
  const { deps, bases, documents, baseRunner, tenantEvents, start, stop } = openKnowledge(app, () => service);
  const { models, contents, quota, notices } = deps;

  return defineService(app, knowledgeContract, {
    handlers: {
      async list({ params, tenantId }) {
        const page = pageOf(params);
        const found = await bases.list(tenantId, page);
        const statistics = await statisticsOf(
          models.documents,
          tenantId,
          found.map(({ _id }) => _id),
        );
        return { data: found.map((base) => baseView(base, statistics.get(base._id) ?? EMPTY_STATISTICS)), ...page };
      },
      async create(ctx) {
        await assertMayEmbed(ctx, ctx.params.embedding);
        const base = await bases.create(ctx.tenantId, ctx.params, audited(ctx));
        notices.changed(ctx.tenantId, base._id);
        return baseView(base, EMPTY_STATISTICS);
      },
      get: async ({ params: { id }, tenantId }) => viewOf(await bases.get(tenantId, id)),
      async update(ctx) {
        const { id, ...fields } = ctx.params;
        await assertMayEmbed(ctx, fields.embedding);
        const base = await bases.update(ctx.tenantId, id, fields, audited(ctx));
        notices.changed(ctx.tenantId, id);
        baseRunner.kick();
        return viewOf(base);
      },
      async remove(ctx) {
        if (ctx.params.force !== true) {
          const { _id, name } = await bases.get(ctx.tenantId, ctx.params.id);
          await assertUnused(ctx, {
            kind: 'knowledge_base',
            refs: [_id, name],
            what: `The knowledge base "${name}"`,
          });
        }
        await bases.remove(ctx.tenantId, ctx.params.id, audited(ctx));
        quota.invalidate(ctx.tenantId);
        notices.changed(ctx.tenantId, ctx.params.id);
        baseRunner.kick();
      },
      missing: async ({ params: { refs }, tenantId }) => ({ refs: await bases.missing(tenantId, refs) }),
      async documents({ params: { id, status, ...pageParams }, tenantId }) {
        const base = await bases.get(tenantId, id);
        const page = pageOf(pageParams);
        const found = await documents.list(base, status, page);
        return { data: found.map(documentView), ...page };
      },
      async add_document(ctx) {
        const { base_id, ...given } = ctx.params;
        return documents.add(await bases.get(ctx.tenantId, base_id), given, audited(ctx));
      },
      async add_for(ctx) {
        const { base_id, ...given } = ctx.params;
        return documents.add(await bases.resolve(ctx.tenantId, base_id), given, audited(ctx));
      },
      async add_file_for(ctx) {
        const { base_id, upload_id: id, execution_id: executionId, path, ...about } = ctx.params;
        const base = await bases.resolve(ctx.tenantId, base_id);
        const existing = await documents.find(base, id);
        if (existing !== null) return documentView(existing);
        const size = await importRunFile(deps, ctx.call, base, { id, executionId, path });
        return documents.commitUpload(base, { id, size, ...about }, audited(ctx));
      },
      document: async ({ params: { base_id, id }, tenantId }) =>
        documentView(await documents.get(await bases.get(tenantId, base_id), id)),
      async chunks({ params: { base_id, id, ...pageParams }, tenantId }) {
        const base = await bases.get(tenantId, base_id);
        const page = pageOf(pageParams);
        const found = await documents.chunks(base, id, page);
        return { data: found.map(chunkView), ...page };
      },
      refresh: async ({ params: { base_id, id }, tenantId }) =>
        documents.refresh(await bases.get(tenantId, base_id), id),
      async remove_document(ctx) {
        const { base_id, id } = ctx.params;
        await documents.remove(await bases.get(ctx.tenantId, base_id), id, audited(ctx));
      },
      async begin_upload({ params: { base_id, upload_id, filename, content_type, announced }, tenantId }) {
        const base = await bases.get(tenantId, base_id);
        const about = { id: upload_id, baseId: base._id, filename, contentType: content_type };
        await contents.beginUpload(tenantId, { ...about, bytes: announced ?? 0 });
      },
      async put_upload({ params: { upload_id, n, data }, tenantId }) {
        const bytes = decodeBase64(data);
        if (bytes === null) throw new AppError('invalid_request', "'data' is not valid base64");
        if (n >= partsOf(app.config.uploadLimit))
          throw new AppError('payload_too_large', `A document may have ${app.config.uploadLimit} bytes at most`);
        await contents.putUploadPart(tenantId, upload_id, n, bytes);
      },
      async commit_upload(ctx) {
        const { base_id, upload_id, ...given } = ctx.params;
        const base = await bases.get(ctx.tenantId, base_id);
        return documents.commitUpload(base, { id: upload_id, ...given }, audited(ctx));
      },
      give_up_upload: ({ params: { upload_id }, tenantId }) => contents.abandonUpload(tenantId, upload_id),
      async query(ctx) {
        await assertMayRerank(ctx, ctx.params.rerank);
        return runQuery(ctx);
      },
      query_for: (ctx) => runQuery(ctx),
      async resolve({ params: { ref }, tenantId }) {
        const { _id, name } = await bases.resolve(tenantId, ref);
        return { id: _id, name };
      },
      vectors_ready: async () => ({ store: deps.vectors.name, ready: await deps.vectors.ready() }),
      async usage({ tenantId }) {
        const all = await bytesOfTenant(models.documents, tenantId);
        return { ...all, bases: await bases.count(tenantId) };
      },
    },
    events: {
      'cache.stale': onStale({ 'auth:tenant:': (tenantId) => quota.invalidateLimit(tenantId) }),
      'tenant.watch': tenantEvents.event,
    },
    async started(context) {
      service = context;
      await start();
    },
    stopped: stop,
  });

  /** @throws AppError forbidden */
  async function assertMayEmbed(ctx: Caller, embedding: KnowledgeBaseFields['embedding']): Promise<void> {
    const { base_url, api_key } = embedding ?? {};
    if (base_url !== undefined && api_key !== undefined)
      await assertMaySendSecrets(ctx, 'leave out "embedding.base_url", or "embedding.api_key"');
  }

  /** @throws AppError forbidden */
  async function assertMayRerank(ctx: Caller, rerank: KnowledgeQuery['rerank']): Promise<void> {
    const { base_url, api_key } = rerank ?? {};
    if (typeof base_url === 'string' && typeof api_key === 'string' && secretNamed(api_key) !== null)
      await assertMaySendSecrets(ctx, 'leave out "rerank.base_url", or the secret in "rerank.api_key"');
  }

  function audited(ctx: Caller): Recorded {
    return recordedBy(app.audit, auditedBy(ctx));
  }

  async function runQuery({
    params: { id, ...query },
    tenantId,
    call,
  }: Pick<Caller, 'tenantId' | 'call'> & { params: KnowledgeQuery & { id: string } }): Promise<KnowledgeAnswer> {
    const parsed = parseQuery(query);
    const base = await bases.resolve(tenantId, id);
    const startedAt = app.clock.now();
    const answer = await search(deps, { call, tenantId }, base, parsed);
    app.metrics.knowledgeSearch.observe(secondsOf(app.clock.now() - startedAt), answer.mode);
    return answer;
  }

  async function viewOf(base: BaseRecord): Promise<KnowledgeBaseView> {
    const { tenant_id, _id } = base;
    const statistics = await statisticsOf(models.documents, tenant_id, [_id]);
    return baseView(base, statistics.get(_id) ?? EMPTY_STATISTICS);
  }
};

export default (broker: ServiceBroker): ServiceSchema => knowledgeService(appOf(broker));
