import type { Handlers } from '../../../mixins/service';
import { CustomTypes } from '../../../nodes/custom';
import type { StartRun } from '../../../mixins/start-run';
import type { App } from '../../app';
import { builtInRows, customRow, importedRow } from '../node-types';
import type { WorkflowStore } from '../store';
import type { ImportedSteps } from '../imported';
import { TenantNodeTypes } from '../tenant-node-types';
import { customNodeEditing, toCustomView } from './editing';
import { customNodeModel } from './model';
import { CustomNodeStore, toCustomNode } from './store';
import { customNodeTests } from './test';
import { catalogueOf, pageOf } from '../../../lib/page';
import { mapSliced } from '../../../lib/time-slices';
import { createIndexes } from '../../../lib/indexes';

/** What the keys of caches of custom nodes begin with, in `cache.stale`; then `<tenant>:<type>`. */
const CUSTOM_NODE = 'workflows.custom_node:';

type CustomNodeActions =
  | 'custom_nodes'
  | 'create_custom_node'
  | 'get_custom_node'
  | 'update_custom_node'
  | 'remove_custom_node'
  | 'test_custom_node'
  | 'custom_node'
  | 'node_types';

/** Handlers of this part of the service's actions. */
type Actions = Pick<Handlers<'workflows'>, CustomNodeActions>;

/** Dependencies that the service provides. */
interface Deps {
  readonly starts: StartRun;
  readonly workflows: WorkflowStore;
  /** Tells the caches of all nodes. */
  readonly stale: (key: string) => Promise<void>;
  readonly purge: (tenantId: string, workflowId: string) => Promise<void>;
  readonly imported: ImportedSteps;
}

/** Actions on node types: custom ones of tenants, and the list of all. */
export function customNodes(app: App, { starts, workflows, stale, purge, imported }: Deps) {
  const model = customNodeModel(app.db);
  const types = new CustomTypes();
  const readCustom = (tenantId: string) => mapSliced(store.each(tenantId), tenantId, toCustomNode);
  const tenantNodeTypes = new TenantNodeTypes(app.clock, types, readCustom, imported);
  const store = new CustomNodeStore(model, app.clock, (tenantId, type) => {
    tenantNodeTypes.forget(tenantId);
    return stale(`${CUSTOM_NODE}${tenantId}:${type}`);
  });
  const { create, update, remove } = customNodeEditing(
    app.audit,
    store,
    (tenantId, type) => workflows.users(tenantId, 'custom_node', [type]),
    purge,
  );
  const { testNode } = customNodeTests(app, store, { starts, workflows, tenantNodeTypes });

  const actions: Actions = {
    async custom_nodes({ params: asked, tenantId }) {
      const page = pageOf(asked);
      return { data: await mapSliced(store.each(tenantId, page), tenantId, toCustomView), ...page };
    },
    create_custom_node: create,
    get_custom_node: async ({ params: { type }, tenantId }) => toCustomView(await store.get(tenantId, type)),
    update_custom_node: update,
    remove_custom_node: remove,
    test_custom_node: testNode,
    async custom_node({ params: { type }, tenantId }) {
      const record = await store.find(tenantId, type);
      return record === null ? null : toCustomNode(record);
    },
    async node_types({ params: { category, kind, ...page }, tenantId, call }) {
      const custom = await readCustom(tenantId);
      const { data } = await call('connectors.imported_all', {}, { asServiceOf: tenantId });
      const rows = [
        ...builtInRows(),
        ...(await mapSliced(custom, tenantId, (node) => customRow(node, types))),
        ...(await mapSliced(await imported.typesOf(tenantId, data), tenantId, importedRow)),
      ];
      const wanted = rows.filter(
        (row) =>
          (category === undefined || row.category.toLowerCase() === category.toLowerCase()) &&
          (kind === undefined || row.kind === kind),
      );
      return catalogueOf(wanted, page);
    },
  };

  return {
    actions,
    tenantNodeTypes,
    createIndexes: () => createIndexes(model),
    /** Drops what this process knows that a pattern says is stale. */
    forget(pattern: string): void {
      if (!pattern.startsWith(CUSTOM_NODE)) return;
      const key = pattern.slice(CUSTOM_NODE.length);
      tenantNodeTypes.forget(key.slice(0, key.indexOf(':')));
    },
  };
}
