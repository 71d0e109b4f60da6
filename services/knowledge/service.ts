import type { ServiceSchema } from 'moleculer';
import { decodeBase64 } from '../../lib/base64';
import { AppError } from '../../lib/errors';
import { secondsOf } from '../../lib/metrics';
import { auditedBy, type Recorded, recordedBy } from '../../mixins/audit';
import { type ActionContext, defineService, type ServiceContext } from '../../mixins/service';
import type { App } from '../app';
import type { ActionName } from '../catalogue';
import { partsOf } from '../files/contract';
import { bytesOfTenant, figuresOf, NO_FIGURES } from './bases/figures';
import type { KnowledgeAnswer, KnowledgeBaseView, KnowledgeQuery } from './contract';
import { takeFile } from './documents/from-run';
import type { BaseRecord } from './models';
import { openKnowledge } from './open';
import * as params from './params';
import { queryParams, readQuery, search } from './search';
import { baseView, chunkView, documentView } from './views';

type Caller = ActionContext<ActionName>;

/** Documents that can be searched: kept in bases, read from texts, files and addresses, found by words and meaning. */
export const knowledgeService = (app: App): ServiceSchema => {
  let service: ServiceContext;
  const { parts, bases, documents, baseRunner, start, stop } = openKnowledge(app, () => service);
  const { models, contents, room } = parts;

  return defineService(app, 'knowledge', {
    actions: {
      list: {
        access: 'member',
        summary: 'Knowledge bases',
        params: params.pageParams,
        async handle({ params: { limit, offset }, tenantId }) {
          const found = await bases.list(tenantId, limit as number, offset as number);
          const figures = await figuresOf(
            models.documents,
            tenantId,
            found.map(({ _id }) => _id),
          );
          return { data: found.map((base) => baseView(base, figures.get(base._id) ?? NO_FIGURES)) };
        },
      },
      create: {
        access: 'member',
        summary: 'Makes a knowledge base',
        params: params.createParams,
        handle: async (ctx) => baseView(await bases.create(ctx.tenantId, ctx.params, recorded(ctx)), NO_FIGURES),
      },
      get: {
        access: 'member',
        summary: 'A knowledge base',
        params: { id: params.id },
        handle: async ({ params: { id }, tenantId }) => viewOf(await bases.get(tenantId, id)),
      },
      update: {
        access: 'member',
        summary: 'Changes the given fields; another model makes new vectors in the background',
        params: params.updateParams,
        async handle(ctx) {
          const { id, ...fields } = ctx.params;
          const base = await bases.update(ctx.tenantId, id, fields, recorded(ctx));
          baseRunner.kick();
          return viewOf(base);
        },
      },
      remove: {
        access: 'member',
        summary: 'Removes a knowledge base with all that it has',
        params: { id: params.id },
        async handle(ctx) {
          await bases.remove(ctx.tenantId, ctx.params.id, recorded(ctx));
          room.forget(ctx.tenantId);
          baseRunner.kick();
        },
      },
      documents: {
        access: 'member',
        summary: 'Documents of a knowledge base',
        params: params.documentsParams,
        async handle({ params: { id, status, limit, offset }, tenantId }) {
          const base = await bases.get(tenantId, id);
          const found = await documents.list(base, status, limit as number, offset as number);
          return { data: found.map(documentView) };
        },
      },
      add_document: {
        access: 'member',
        summary: 'Adds a text or an address to a knowledge base',
        params: params.addParams,
        async handle(ctx) {
          const { base_id, ...given } = ctx.params;
          return documents.add(await bases.get(ctx.tenantId, base_id), given, recorded(ctx));
        },
      },
      add_for: {
        access: 'internal',
        summary: 'Adds a text or an address to a knowledge base, for a step',
        params: params.addParams,
        async handle(ctx) {
          const { base_id, ...given } = ctx.params;
          return documents.add(await bases.resolve(ctx.tenantId, base_id), given, recorded(ctx));
        },
      },
      add_file_for: {
        access: 'internal',
        summary: 'Adds a file of a run to a knowledge base, for a step',
        params: params.addFileParams,
        async handle(ctx) {
          const { base_id, upload_id: id, execution_id: executionId, path, ...about } = ctx.params;
          const base = await bases.resolve(ctx.tenantId, base_id);
          const made = await documents.find(base, id);
          if (made !== null) return documentView(made);
          const size = await takeFile(parts, ctx.call, base, { id, executionId, path });
          return documents.commitUpload(base, { id, size, ...about }, recorded(ctx));
        },
      },
      document: {
        access: 'member',
        summary: 'A document',
        params: { base_id: params.id, id: params.id },
        handle: async ({ params: { base_id, id }, tenantId }) =>
          documentView(await documents.get(await bases.get(tenantId, base_id), id)),
      },
      chunks: {
        access: 'member',
        summary: 'The parts of a document as they are searched',
        params: { base_id: params.id, id: params.id, ...params.pageParams },
        async handle({ params: { base_id, id, limit, offset }, tenantId }) {
          const base = await bases.get(tenantId, base_id);
          const found = await documents.chunks(base, id, limit as number, offset as number);
          return { data: found.map(chunkView) };
        },
      },
      refresh: {
        access: 'member',
        summary: 'Fetches an address again, or reads anew what was sent',
        params: { base_id: params.id, id: params.id },
        handle: async ({ params: { base_id, id }, tenantId }) =>
          documents.refresh(await bases.get(tenantId, base_id), id),
      },
      remove_document: {
        access: 'member',
        summary: 'Removes a document',
        params: { base_id: params.id, id: params.id },
        async handle(ctx) {
          const { base_id, id } = ctx.params;
          await documents.remove(await bases.get(ctx.tenantId, base_id), id, recorded(ctx));
        },
      },
      begin_upload: {
        access: 'member',
        summary: 'Begins a document whose content follows in parts',
        params: params.beginUploadParams,
        async handle({ params: { base_id, upload_id, filename, content_type, announced }, tenantId }) {
          const base = await bases.get(tenantId, base_id);
          await room.assert(tenantId, announced ?? 0);
          await contents.begin(tenantId, { id: upload_id, baseId: base._id, filename, contentType: content_type });
        },
      },
      put_upload: {
        access: 'member',
        summary: 'A part of the content of a document that was begun',
        params: params.putUploadParams,
        async handle({ params: { upload_id, n, data }, tenantId }) {
          const bytes = decodeBase64(data);
          if (bytes === null) throw new AppError('invalid_request', "'data' is no base64");
          if (n >= partsOf(app.config.uploadLimit))
            throw new AppError('payload_too_large', `A document may have ${app.config.uploadLimit} bytes at most`);
          await contents.putUpload(tenantId, upload_id, n, bytes);
        },
      },
      commit_upload: {
        access: 'member',
        summary: 'Makes a document of what has come',
        params: params.commitUploadParams,
        async handle(ctx) {
          const { base_id, upload_id, ...given } = ctx.params;
          const base = await bases.get(ctx.tenantId, base_id);
          return documents.commitUpload(base, { id: upload_id, ...given }, recorded(ctx));
        },
      },
      give_up_upload: {
        access: 'member',
        summary: 'Removes what has come of a document that is not going to be committed',
        params: { upload_id: params.uploadId },
        handle: ({ params: { upload_id }, tenantId }) => contents.giveUp(tenantId, upload_id),
      },
      query: {
        access: 'member',
        summary: 'What a knowledge base has to say about a question',
        params: { id: { ...params.id, max: 200 }, ...queryParams },
        handle: (ctx) => ask(ctx),
      },
      query_for: {
        access: 'internal',
        summary: 'What a knowledge base has to say about a question of a step',
        params: { id: { ...params.id, max: 200 }, ...queryParams },
        handle: (ctx) => ask(ctx),
      },
      resolve: {
        access: 'internal',
        summary: 'A knowledge base by its id or name',
        params: { ref: { type: 'string', min: 1, max: 200 } },
        async handle({ params: { ref }, tenantId }) {
          const { _id, name } = await bases.resolve(tenantId, ref);
          return { id: _id, name };
        },
      },
      vectors_ready: {
        access: 'internal',
        summary: 'Whether vectors can be searched',
        params: {},
        handle: async () => ({ store: parts.vectors.name, ready: await parts.vectors.ready() }),
      },
      usage: {
        access: 'internal',
        summary: 'How much the tenant keeps in knowledge bases',
        params: {},
        async handle({ tenantId }) {
          const all = await bytesOfTenant(models.documents, tenantId);
          return { ...all, bases: await bases.count(tenantId) };
        },
      },
    },
    async started(context) {
      service = context;
      await start();
    },
    stopped: stop,
  });

  function recorded(ctx: Caller): Recorded {
    return recordedBy(app.audit, auditedBy(ctx));
  }

  async function ask({
    params: { id, ...question },
    tenantId,
    call,
  }: Pick<Caller, 'tenantId' | 'call'> & { params: KnowledgeQuery & { id: string } }): Promise<KnowledgeAnswer> {
    const asked = readQuery(question);
    const base = await bases.resolve(tenantId, id);
    const began = app.clock.now();
    const answer = await search(parts, { call, tenantId }, base, asked);
    app.metrics.knowledgeSearch.observe(secondsOf(app.clock.now() - began), answer.mode);
    return answer;
  }

  async function figuresOfBase({ tenant_id, _id }: BaseRecord) {
    return (await figuresOf(models.documents, tenant_id, [_id])).get(_id) ?? NO_FIGURES;
  }

  async function viewOf(base: BaseRecord): Promise<KnowledgeBaseView> {
    return baseView(base, await figuresOfBase(base));
  }
};
