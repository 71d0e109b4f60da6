import { skillsContract } from '../../contracts/skills';
import type { ServiceBroker, ServiceSchema } from 'moleculer';
import { defineService } from '../../mixins/service';
import { type App, appOf } from '../app';
import { ContentStore } from './content-store';
import { Editing } from './editing';
import { Installing, versionIn } from './installing';
import { skillModels } from './models';
import { Publishing } from './publishing';
import { SkillReader } from './reader';
import { Registry } from './registry';
import { SkillStore } from './store';
import { Sweep } from './sweep';
import { draftIn } from './rules/draft';
import { MAX_BUNDLE_BYTES } from './rules/limits';
import { Uploads } from '../../mixins/uploads';
import { SkillViews } from './views';
import { pageOf } from '../../lib/page';
import { createIndexes } from '../../lib/indexes';

/** Skills (instructions with scripts and references for agents and steps), and the registry that shares them between tenants. */
export const skillsService = (app: App): ServiceSchema => {
  const { audit, clock } = app;
  const models = skillModels(app.db);
  const contents = new ContentStore(models, clock);
  const store = new SkillStore(models, contents, clock);
  const registry = new Registry(models, contents);
  const views = new SkillViews(store, registry);
  const publishing = new Publishing({ store, contents, registry, views, audit, clock });
  const editing = new Editing({ store, contents, registry, publishing, views, audit });
  const installing = new Installing({ store, registry, views, audit, clock });
  const reader = new SkillReader(store, contents, registry);
  const uploads = new Uploads(models.uploads, clock, { noun: 'bundle', maxBytes: MAX_BUNDLE_BYTES });
  let warn: (message: string) => void = () => {};
  const sweep = new Sweep(models, clock, (message) => warn(message));

  return defineService(app, skillsContract, {
    handlers: {
      async list({ params, tenantId }) {
        const page = pageOf(params);
        const records = await store.list(tenantId, page);
        return { data: await views.rows(tenantId, records), ...page };
      },
      create: (ctx) => editing.create(ctx),
      get: async ({ params, tenantId }) => views.view(await store.get(tenantId, params.id)),
      update: (ctx) => editing.update(ctx),
      remove: (ctx) => editing.remove(ctx),
      begin_upload: ({ params: { announced } }) => uploads.assertSize(announced),
      put_upload: ({ params, tenantId }) => uploads.put(tenantId, params),
      commit_upload: async ({ params: { upload_id, size }, tenantId }) =>
        draftIn(app.compute.lane(tenantId), await uploads.take(tenantId, upload_id, size)),
      give_up_upload: ({ params: { upload_id }, tenantId }) => uploads.abandon(tenantId, upload_id),
      publish: (ctx) => publishing.publish(ctx),
      unpublish: (ctx) => publishing.unpublish(ctx),
      async published({ params }) {
        const page = pageOf(params);
        return { data: await views.published(await registry.newest(page)), ...page };
      },
      async published_skill({ params }) {
        const record = await registry.get(params.id);
        const version = versionIn(record, params.version);
        return views.publishedView(record, version, await registry.content(record, version));
      },
      async search({ params: { q = '', ...pageParams } }) {
        const range = pageOf(pageParams);
        const found = await (q === '' ? registry.newest(range) : registry.search(q, range));
        return { data: await views.published(found), ...range };
      },
      install: (ctx) => installing.install(ctx),
      missing: async ({ params: { refs }, tenantId }) => ({ refs: await store.missing(tenantId, refs) }),
      pin: ({ params, tenantId }) => reader.pin(tenantId, params.ref, params.version),
      read: ({ params: { hash, ...range }, tenantId }) => reader.read(tenantId, hash, range),
      read_file: ({ params: { hash, path, ...range }, tenantId }) => reader.readFile(tenantId, hash, path, range),
    },
    async started(context) {
      warn = (message) => context.log.warn(message);
      await createIndexes(...Object.values(models));
      sweep.start();
    },
    stopped: () => sweep.stop(),
  });
};

export default (broker: ServiceBroker): ServiceSchema => skillsService(appOf(broker));
