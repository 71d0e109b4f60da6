import type { ServiceSchema } from 'moleculer';
import { defineService } from '../../mixins/service';
import type { App } from '../app';
import { PART_BYTES } from '../files/contract';
import { Contents } from './contents';
import { Editing } from './editing';
import { Installing, versionIn } from './installing';
import { skillModels } from './models';
import { Publishing } from './publishing';
import { Reading } from './reading';
import { Registry } from './registry';
import { MOST_INSTRUCTIONS } from './rules/limits';
import { SkillStore } from './store';
import { Sweep } from './sweep';
import { Uploads } from './uploads';
import { SkillViews } from './views';

const DEFAULT_PAGE = 50;

const optional = { optional: true } as const;
const id = { type: 'string', min: 1, max: 100 } as const;
const version = { type: 'string', min: 1, max: 64, ...optional } as const;
const hash = { type: 'string', length: 64 } as const;
const count = { type: 'number', integer: true, min: 0 } as const;
const page = {
  limit: { type: 'number', integer: true, min: 1, max: 200, convert: true, ...optional },
  offset: { type: 'number', integer: true, min: 0, max: Number.MAX_SAFE_INTEGER, convert: true, ...optional },
} as const;
const slice = { offset: { ...count, ...optional }, limit: { ...count, ...optional } } as const;
/** What is in them is looked at by the rules of skills, which tell every fault at once. */
const fields = {
  name: { type: 'string', ...optional },
  description: { type: 'string', ...optional },
  version: { type: 'any', ...optional },
  license: { type: 'any', ...optional },
  metadata: { type: 'any', ...optional },
  allowed_tools: { type: 'any', ...optional },
  instructions: { type: 'string', max: MOST_INSTRUCTIONS * 2, ...optional },
  files: { type: 'any', ...optional },
} as const;

/** Skills: instructions with scripts and references that agents and steps take up, and the registry in which they are shared. */
export const skillsService = (app: App): ServiceSchema => {
  const { audit, clock } = app;
  const models = skillModels(app.db);
  const contents = new Contents(models, clock);
  const store = new SkillStore(models, contents, clock);
  const registry = new Registry(models, contents);
  const views = new SkillViews(store, registry);
  const publishing = new Publishing({ store, contents, registry, views, audit, clock });
  const editing = new Editing({ store, contents, registry, publishing, views, audit });
  const installing = new Installing({ store, registry, views, audit, clock });
  const reading = new Reading(store, contents, registry);
  const uploads = new Uploads(models, clock);
  let warn: (message: string) => void = () => {};
  const sweep = new Sweep(models, clock, (message) => warn(message));

  return defineService(app, 'skills', {
    actions: {
      list: {
        access: 'member',
        summary: 'Skills of the tenant, by name',
        params: page,
        async handle({ params: { limit = DEFAULT_PAGE, offset = 0 }, tenantId }) {
          const records = await store.list(tenantId, { limit, skip: offset });
          return { data: await views.rows(tenantId, records), limit, offset };
        },
      },
      create: {
        access: 'member',
        summary: 'Creates a skill of its parts, as a parsed bundle has them',
        params: fields,
        handle: (ctx) => editing.create(ctx),
      },
      get: {
        access: 'member',
        summary: 'A skill with its instructions and files',
        params: { id },
        handle: async ({ params, tenantId }) => views.view(await store.get(tenantId, params.id)),
      },
      update: {
        access: 'member',
        summary: 'Changes the given fields of a skill',
        params: { id, ...fields },
        handle: (ctx) => editing.update(ctx),
      },
      remove: {
        access: 'member',
        summary: 'Deletes a skill; one in the registry only as an admin',
        params: { id },
        handle: (ctx) => editing.remove(ctx),
      },
      begin_upload: {
        access: 'member',
        summary: 'Begins a bundle that is to be parsed',
        params: {
          upload_id: { type: 'uuid' },
          filename: { type: 'string', max: 1_000 },
          content_type: { type: 'string', max: 1_000 },
          announced: { type: 'number', nullable: true, ...optional },
        },
        handle: ({ params: { announced } }) => uploads.begin(announced),
      },
      put_upload: {
        access: 'member',
        summary: 'A part of a bundle',
        params: { upload_id: { type: 'uuid' }, n: count, data: { type: 'string', max: Math.ceil(PART_BYTES / 3) * 4 } },
        handle: ({ params, tenantId }) => uploads.put(tenantId, params),
      },
      commit_upload: {
        access: 'member',
        summary: 'What a bundle holds; nothing of it is stored',
        params: { upload_id: { type: 'uuid' }, size: count },
        handle: ({ params: { upload_id, size }, tenantId }) => uploads.commit(tenantId, upload_id, size),
      },
      give_up_upload: {
        access: 'member',
        summary: 'Forgets a bundle that is not going to be parsed',
        params: { upload_id: { type: 'uuid' } },
        handle: ({ params: { upload_id }, tenantId }) => uploads.giveUp(tenantId, upload_id),
      },
      publish: {
        access: 'admin',
        summary: 'Publishes a skill as a version that never changes',
        params: {
          id,
          version,
          bump: { type: 'enum', values: ['major', 'minor', 'patch'], ...optional },
          notes: { type: 'string', trim: true, max: 2_000, ...optional },
        },
        handle: (ctx) => publishing.publish(ctx),
      },
      unpublish: {
        access: 'admin',
        summary: 'Takes a version of a skill out of the registry, or all of them',
        params: { id, version },
        handle: (ctx) => publishing.unpublish(ctx),
      },
      published: {
        access: 'member',
        summary: 'Skills in the registry, published last first',
        params: page,
        async handle({ params: { limit = DEFAULT_PAGE, offset = 0 } }) {
          return { data: await views.published(await registry.newest({ limit, offset })), limit, offset };
        },
      },
      published_skill: {
        access: 'member',
        summary: 'A skill in the registry, to be read before it is installed',
        params: { id, version },
        async handle({ params }) {
          const record = await registry.get(params.id);
          const wanted = versionIn(record, params.version);
          return views.publishedView(record, wanted, await registry.content(record, wanted));
        },
      },
      search: {
        access: 'member',
        summary: 'Skills in the registry by words, the best answers first',
        params: { q: { type: 'string', trim: true, max: 500, ...optional }, ...page },
        async handle({ params: { q = '', limit = DEFAULT_PAGE, offset = 0 } }) {
          const range = { limit, offset };
          const found = await (q === '' ? registry.newest(range) : registry.search(q, range));
          return { data: await views.published(found), ...range };
        },
      },
      install: {
        access: 'member',
        summary: 'Copies a version of a skill of the registry into the tenant, or another version over it',
        params: {
          id,
          version,
          name: { type: 'string', max: 64, ...optional },
          overwrite: { type: 'boolean', ...optional },
        },
        handle: (ctx) => installing.install(ctx),
      },
      missing: {
        access: 'internal',
        summary: 'Those of the ids and names that no skill has',
        params: { refs: { type: 'array', items: 'string', max: 200 } },
        handle: async ({ params: { refs }, tenantId }) => ({ refs: await store.missing(tenantId, refs) }),
      },
      pin: {
        access: 'internal',
        summary: 'A skill by id or name, for a run that takes it up',
        params: { ref: id, version },
        handle: ({ params, tenantId }) => reading.pin(tenantId, params.ref, params.version),
      },
      read: {
        access: 'internal',
        summary: 'Instructions of a pinned skill, and its files by name',
        params: { hash, ...slice },
        handle: ({ params: { hash: wanted, ...range }, tenantId }) => reading.read(tenantId, wanted, range),
      },
      read_file: {
        access: 'internal',
        summary: 'A file of a pinned skill',
        params: { hash, path: { type: 'string', min: 1, max: 1_024 }, ...slice },
        handle: ({ params: { hash: wanted, path, ...range }, tenantId }) =>
          reading.readFile(tenantId, wanted, path, range),
      },
    },
    async started(context) {
      warn = (message) => context.log.warn(message);
      await Promise.all(Object.values(models).map((model) => model.createIndexes()));
      sweep.start();
    },
    stopped: () => sweep.stop(),
  });
};
