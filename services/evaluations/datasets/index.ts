import { AppError } from '../../../lib/errors';
import { pageOf } from '../../../lib/page';
import { ofTenant } from '../../../lib/tenant';
import { auditedBy, type Recorded, recordedBy } from '../../../mixins/audit';
import type { ActionContext, Handlers } from '../../../mixins/service';
import { Uploads } from '../../../mixins/uploads';
import type { ActionName } from '../../../contracts/catalogue';
import type { RowsChange } from '../../../contracts/evaluations/views';
import type { App } from '../../app';
import type { EvaluationModels } from '../models';
import { importRows } from '../rules/import-rows';
import { rowsFromRuns } from './from-runs';
import { MAX_UPLOAD_BYTES } from '../rules/limits';
import { pruneRows } from './prune';
import type { StoredRow } from '../rules/read-row';
import { assertRows, readRows } from '../rules/read-rows';
import { datasetView, rowPage, rowView } from './rows';
import { datasetChange, Datasets } from './store';
import { tagsOf } from './tags';
import { RowWriter } from './writer';

type Names =
  | 'list_datasets'
  | 'create_dataset'
  | 'dataset'
  | 'update_dataset'
  | 'remove_dataset'
  | 'dataset_tags'
  | 'rows'
  | 'add_rows'
  | 'put_row'
  | 'remove_row'
  | 'add_from_runs'
  | 'begin_upload'
  | 'put_upload'
  | 'commit_upload'
  | 'give_up_upload';

type Context = Pick<ActionContext<ActionName>, 'tenantId' | 'principal' | 'origin' | 'requestId'>;

/** Removes all evaluations of a data set. @throws AppError conflict for one that has not ended */
type RemoveEvaluations = (tenantId: string, datasetId: string, recorded: Recorded) => Promise<void>;

/** Actions on data sets and their rows. */
export function datasets(app: App, models: EvaluationModels, removeEvaluations: RemoveEvaluations) {
  const store = new Datasets(models, app.clock);
  const writer = new RowWriter(models, app.clock);
  const uploads = new Uploads(models.uploads, app.clock, { noun: 'file', maxBytes: MAX_UPLOAD_BYTES });
  const recordedFor = (ctx: Context): Recorded => recordedBy(app.audit, auditedBy(ctx));

  /** Adds rows, as a change that is on record. */
  async function put(ctx: Context, id: string, rows: readonly StoredRow[]): Promise<RowsChange> {
    const { tenantId } = ctx;
    const dataset = await store.get(tenantId, id);
    const change = datasetChange('dataset.put_rows', dataset, { after: { rows: rows.length } });
    const changed = await recordedFor(ctx)(change, () => writer.put(tenantId, id, rows));
    await pruneRows(models, tenantId, id, app.clock.now());
    return changed;
  }

  const actions: Pick<Handlers<'evaluations'>, Names> = {
    async list_datasets({ params: { q, ...asked }, tenantId }) {
      const page = pageOf(asked);
      return { data: (await store.list(tenantId, { ...page, q })).map(datasetView), ...page };
    },
    async create_dataset(ctx) {
      const { tenantId, params, call, principal } = ctx;
      const { limits } = await call('auth.entitlements', {}, { asServiceOf: tenantId });
      const fields = {
        name: params.name,
        description: params.description || null,
        by: principal?.user_id ?? 'service',
      };
      // Plans of an auth service of an earlier version have no such limit.
      return datasetView(await store.create(tenantId, fields, limits.datasets ?? null, recordedFor(ctx)));
    },
    dataset: async ({ params: { id }, tenantId }) => datasetView(await store.get(tenantId, id)),
    async update_dataset(ctx) {
      const { id, ...fields } = ctx.params;
      return datasetView(await store.update(ctx.tenantId, id, fields, recordedFor(ctx)));
    },
    async remove_dataset(ctx) {
      const { tenantId, params } = ctx;
      const dataset = await store.get(tenantId, params.id);
      const uses = await ofTenant(models.evaluations, tenantId).count({ dataset_id: params.id });
      if (uses > 0 && params.force !== true) throw inUse(dataset.name, uses);
      for (const { workflow_id } of await ofTenant(models.evaluations, tenantId).find(
        { dataset_id: params.id },
        { fields: ['workflow_id'] },
      ))
        await ctx.folders.assertWorkflow(workflow_id, 'edit', () => inUse(dataset.name, uses));
      await removeEvaluations(tenantId, params.id, recordedFor(ctx));
      const change = datasetChange('dataset.delete', dataset, { before: { rows: dataset.rows } });
      await recordedFor(ctx)(change, () => writer.drop(tenantId, params.id));
    },
    async dataset_tags({ params: { id }, tenantId }) {
      const { revision, aborted } = await store.get(tenantId, id);
      return { tags: await tagsOf(models, tenantId, { dataset_id: id, revision, aborted }) };
    },
    async rows({ params: { id, cursor, tag, revision: asked, ...given }, tenantId }) {
      const page = pageOf(given);
      const { revision: current, aborted } = await store.get(tenantId, id);
      const revision = Math.min(asked ?? current, current);
      const query = { ...page, cursor, tag };
      const { rows, next } = await rowPage(models, tenantId, { dataset_id: id, revision, aborted }, query);
      return { data: rows.map(rowView), ...page, revision, next_cursor: next };
    },
    add_rows: (ctx) => put(ctx, ctx.params.id, assertRows(readRows(ctx.params.rows, 'rows'))),
    async put_row(ctx) {
      const { id, row_id, ...content } = ctx.params;
      return put(ctx, id, assertRows(readRows([{ id: row_id, ...content }], 'row')));
    },
    async remove_row(ctx) {
      const { tenantId, params } = ctx;
      const dataset = await store.get(tenantId, params.id);
      const change = datasetChange('dataset.remove_row', dataset, { before: { row_id: params.row_id } });
      await recordedFor(ctx)(change, () => writer.remove(tenantId, params.id, params.row_id));
      await pruneRows(models, tenantId, params.id, app.clock.now());
    },
    async add_from_runs(ctx) {
      await store.get(ctx.tenantId, ctx.params.id);
      const { rows, skipped } = await rowsFromRuns(ctx);
      return { ...(await put(ctx, ctx.params.id, rows)), skipped };
    },
    async begin_upload({ params: { dataset_id, announced }, tenantId }) {
      await store.get(tenantId, dataset_id);
      uploads.assertSize(announced);
    },
    put_upload: ({ params, tenantId }) => uploads.put(tenantId, params),
    async commit_upload(ctx) {
      const { tenantId, params } = ctx;
      const { dataset_id, upload_id, size, format = null, columns = {} } = params;
      const bytes = await uploads.take(tenantId, upload_id, size);
      return put(ctx, dataset_id, await importRows(app.compute.lane(tenantId), { bytes, format, columns }));
    },
    give_up_upload: ({ params: { upload_id }, tenantId }) => uploads.abandon(tenantId, upload_id),
  };
  return { actions, store };
}

const inUse = (name: string, uses: number): AppError =>
  new AppError(
    'conflict',
    `The data set "${name}" is used by ${uses === 1 ? 'an evaluation' : `${uses} evaluations`}; force=true deletes them, too`,
  );
