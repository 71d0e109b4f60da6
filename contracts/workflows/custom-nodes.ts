import { Effect } from '../shared';
import { CATEGORIES } from '../../nodes/contract';
import { actions } from '../contract';
import { id } from '../rules';
import { actionTestParams, customNodeTestParams, nodeTypesParams } from './params';
import { StepTestView } from './views';
import { pageParams } from '../../lib/page';
import type { CustomNode } from '../../nodes/custom';
import * as s from '../../lib/schema';

const FieldOption = s.named(
  'FieldOption',
  s.object({
    value: s.union(s.text, s.number),
    label: s.text,
  }),
  'One of the values that a `select` may have.',
);

const ConfigField = s.named(
  'ConfigField',
  s.object({
    name: s.text,
    label: s.text,
    description: s.text,
    type: s.words('boolean', 'json', 'number', 'secret', 'select', 'string'),
    required: s.boolean,
    default: s.json.optional(),
    options: s.array(FieldOption).optional(),
  }),
  'One member of the configuration of a custom node.',
);

const OutputVariable = s.named(
  'OutputVariable',
  s.object({
    name: s.text,
    path: s.text,
  }),
  'One member of the output: what lies at `path` in the answer, null when nothing does.',
);

const PollPaths = s.named(
  'PollPaths',
  s.object({
    items: s.text.nullable().about('The list; null: the whole body.'),
    id: s.text.nullable().about('What identifies an item; null: its `id`, or the whole item.'),
    cursor: s.text.nullable().about("The next request's `cursor`; null: there is none."),
  }),
  'Where the answer of a polled node has what: paths as of output variables, but `id`, which is a path in an item.',
);

export const CustomNodeView = s.named(
  'CustomNodeView',
  s.object({
    id: s.text,
    tenant_id: s.text,
    created_by: s.text,
    created_at: s.text,
    updated_at: s.text,
    type: s.text.about('`custom-` and the name.'),
    name: s.text,
    label: s.text,
    description: s.text,
    icon: s.text.nullable(),
    color: s.text.nullable(),
    kind: s.words('tool', 'trigger'),
    config_fields: s.array(ConfigField),
    outputs: s.array(OutputVariable).about('Empty: the output is the answer itself, as that of `http_request`.'),
    request: s.jsonObject.about('The configuration of an `http_request`, as a template.'),
    poll: PollPaths.optional().about('Of a trigger; absent in definitions from before triggers were polled.'),
    version: s.number,
  }),
  'A custom node as its tenant sees it.',
);
export type CustomNodeView = s.Infer<typeof CustomNodeView>;

export const NodeTypeRow = s.named(
  'NodeTypeRow',
  s.object({
    type: s.text,
    version: s.number,
    title: s.text,
    description: s.text,
    category: s.words(...CATEGORIES),
    kind: s
      .words('control', 'tool', 'trigger', 'work')
      .about('`control`: holds other steps; `work`: does something itself; custom nodes: what they are declared as.'),
    aliases: s.array(s.text),
    effect: Effect.about('What it does to the world at most.'),
    input: s.jsonSchema,
    output: s.jsonSchema,
    step: s.jsonSchema.nullable(),
    tool: s
      .object({
        name: s.text,
        description: s.text,
        parameters: s.jsonSchema,
      })
      .nullable()
      .about('How an agent calls it; null when it cannot.'),
    connections: s
      .array(s.text)
      .about(
        'The connectors and OAuth providers of which its setting `connection` may name a connection; `oauth`: any that has an OAuth app. Empty where it takes none.',
      ),
    custom: s.boolean,
    icon: s.text.nullable(),
    color: s.text.nullable(),
  }),
  'A node type as a canvas or a client needs it.',
);
export type NodeTypeRow = s.Infer<typeof NodeTypeRow>;

export const customNodesActions = actions({
  custom_nodes: {
    rest: 'GET /api/v1/custom-nodes',
    access: 'viewer',
    paged: true,
    repeatable: true,
    integrators: true,
    summary: 'Lists custom nodes',
    params: pageParams,
    result: s.listed(CustomNodeView),
  },
  create_custom_node: {
    rest: 'POST /api/v1/custom-nodes',
    status: 201,
    access: 'admin',
    idempotency: 'replay',
    body: 'definition',
    integrators: true,
    summary: 'Creates a step type from a definition',
    params: { definition: { type: 'object' } },
    result: CustomNodeView,
    errors: ['conflict', 'payload_too_large'],
  },
  get_custom_node: {
    rest: 'GET /api/v1/custom-nodes/:type',
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: 'A custom node, by type or id',
    description: '`type` may be the id as well, here and below.',
    params: { type: id },
    result: CustomNodeView,
    errors: ['not_found'],
  },
  update_custom_node: {
    rest: 'PUT /api/v1/custom-nodes/:type',
    access: 'admin',
    body: 'definition',
    integrators: true,
    summary: 'Changes the given members of a definition',
    params: { type: id, definition: { type: 'object' } },
    result: CustomNodeView,
    errors: ['not_found', 'conflict', 'payload_too_large'],
  },
  remove_custom_node: {
    rest: 'DELETE /api/v1/custom-nodes/:type',
    status: 204,
    access: 'admin',
    integrators: true,
    summary: 'Deletes a custom node; 409 while workflows use it, but for `force=true`',
    params: { type: id, force: { type: 'boolean', convert: true, optional: true } },
    result: s.nothing,
    errors: ['not_found', 'conflict'],
  },
  test_custom_node: {
    rest: 'POST /api/v1/custom-nodes/:type/test',
    access: 'member',
    integrators: true,
    summary: 'Sends the request of a custom node, as a step of this config would',
    description: 'Runs a custom node on its own, with this config.',
    params: customNodeTestParams,
    result: StepTestView,
    errors: ['forbidden', 'not_found', 'unknown_secret', 'quota_exceeded', 'conflict'],
  },
  test_action: {
    rest: 'POST /api/v1/connectors/:name/actions/:action/test',
    access: 'member',
    integrators: true,
    summary: 'Runs an action as a step with this input would; its effects are real',
    description: 'Runs an action of a connector on its own; its effects are real.',
    params: actionTestParams,
    result: StepTestView,
    errors: ['forbidden', 'not_found', 'unknown_secret', 'quota_exceeded', 'conflict'],
  },
  node_types: {
    rest: 'GET /api/v1/node-types',
    access: 'viewer',
    paged: 'catalogue',
    repeatable: true,
    integrators: true,
    summary: 'Node types: those that hold steps, built-in and custom ones; by `category` and `kind`',
    params: nodeTypesParams,
    result: s.listed(NodeTypeRow),
  },
  /** The definition of a custom type of the tenant; null when there is none. */
  custom_node: {
    access: 'internal',
    repeatable: true,
    summary: 'The definition of a custom type',
    params: { type: id },
    result: s.typed<CustomNode | null>(),
  },
});
