import type { ActionDefinition } from '../../../mixins/service';
import { CustomTypes } from '../../../nodes/custom';
import type { App } from '../../app';
import type { ActionName } from '../../catalogue';
import { importedRows, nodeTypeRows } from '../node-types';
import * as params from '../params';
import type { WorkflowStore } from '../store';
import type { ImportedSteps } from '../imported';
import { Vocabulary } from '../vocabulary';
import { customNodeEditing, toCustomView } from './editing';
import { customNodeModel } from './model';
import { CustomNodeStore, toCustomNode } from './store';
import { customNodeTests } from './test';

const DEFAULT_PAGE = 50;

/** What the keys of caches of custom nodes begin with, in `cache.stale`; then `<tenant>:<type>`. */
export const CUSTOM_NODE = 'workflows.custom_node:';

type CustomNodeActions =
  | 'custom_nodes'
  | 'create_custom_node'
  | 'get_custom_node'
  | 'update_custom_node'
  | 'remove_custom_node'
  | 'test_custom_node'
  | 'custom_node'
  | 'node_types';

/** A part of the service's menu. */
type Menu = { readonly [N in CustomNodeActions]: ActionDefinition<Extract<ActionName, `workflows.${N}`>> };

/** What the rest of the service gives to this part. */
interface Surroundings {
  readonly workflows: WorkflowStore;
  /** Tells the caches of all nodes. */
  readonly stale: (key: string) => void;
  readonly purge: (tenantId: string, workflowId: string) => Promise<void>;
  readonly imported: ImportedSteps;
}

/** The part of the service that is about node types: the tenants' own, and which there are. */
export function customNodes(app: App, { workflows, stale, purge, imported }: Surroundings) {
  const model = customNodeModel(app.db);
  const types = new CustomTypes();
  const readCustom = async (tenantId: string) => (await store.list(tenantId)).map(toCustomNode);
  const vocabulary = new Vocabulary(app.clock, types, readCustom, imported);
  const store = new CustomNodeStore(model, app.clock, (tenantId, type) => {
    vocabulary.forget(tenantId);
    stale(`${CUSTOM_NODE}${tenantId}:${type}`);
  });
  const { create, update, remove } = customNodeEditing(
    app.audit,
    store,
    (...asked) => workflows.users(...asked),
    purge,
  );
  const { testNode } = customNodeTests(app, store, workflows, vocabulary);

  const menu: Menu = {
    custom_nodes: {
      access: 'member',
      summary: 'Custom nodes, by type',
      params: params.listParams,
      async handle({ params: page, tenantId }) {
        const { limit = DEFAULT_PAGE, offset = 0 } = page;
        const records = await store.list(tenantId, { limit, skip: offset });
        return { data: records.map(toCustomView), limit, offset };
      },
    },
    create_custom_node: {
      access: 'admin',
      summary: 'Creates a step type from a definition',
      params: { definition: { type: 'object' } },
      handle: create,
    },
    get_custom_node: {
      access: 'member',
      summary: 'One custom node',
      params: { type: params.id },
      handle: async ({ params: { type }, tenantId }) => toCustomView(await store.get(tenantId, type)),
    },
    update_custom_node: {
      access: 'admin',
      summary: 'Changes the given members of a definition, for runs on their way too',
      params: { type: params.id, definition: { type: 'object' } },
      handle: update,
    },
    remove_custom_node: {
      access: 'admin',
      summary: 'Deletes a custom node that no workflow uses',
      params: { type: params.id, force: { type: 'boolean', convert: true, optional: true } },
      handle: remove,
    },
    test_custom_node: {
      access: 'member',
      summary: 'Runs a custom node on its own',
      params: params.customNodeTestParams,
      handle: testNode,
    },
    custom_node: {
      access: 'internal',
      summary: 'The definition of a custom type',
      params: { type: params.id },
      async handle({ params: { type }, tenantId }) {
        const record = await store.find(tenantId, type);
        return record === null ? null : toCustomNode(record);
      },
    },
    node_types: {
      access: 'member',
      summary: 'Node types, built-in and custom',
      params: params.nodeTypesParams,
      async handle({ params: { category, kind }, tenantId, call }) {
        const custom = await readCustom(tenantId);
        const { data } = await call('connectors.imported_all', {}, { asServiceOf: tenantId });
        const actions = data.flatMap((connector) => imported.typesOf(connector));
        const rows = [...nodeTypeRows(custom, types), ...importedRows(actions)];
        return {
          data: rows.filter(
            (row) => (category === undefined || row.category === category) && (kind === undefined || row.kind === kind),
          ),
        };
      },
    },
  };

  return {
    menu,
    vocabulary,
    createIndexes: () => model.createIndexes(),
    /** Drops what this process knows that a pattern says is stale. */
    forget(pattern: string): void {
      if (!pattern.startsWith(CUSTOM_NODE)) return;
      const key = pattern.slice(CUSTOM_NODE.length);
      vocabulary.forget(key.slice(0, key.indexOf(':')));
    },
  };
}
