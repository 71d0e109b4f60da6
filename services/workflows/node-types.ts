import { nodes } from '../../nodes';
import type { NodeType } from '../../nodes/contract';
import { type ControlManifest, controls } from '../../nodes/control';
import type { CustomNode, CustomTypes } from '../../nodes/custom';
import type { NodeTypeRow } from '../../contracts/workflows/custom-nodes';

/** What a canvas needs of every built-in node type: those that hold steps, and those that do something. */
export const builtInRows = (): NodeTypeRow[] => [
  ...Object.values(controls).map(controlRow),
  ...[...nodes.types.values()].map(workRow),
];

const controlRow = ({
  type,
  title,
  description,
  category,
  aliases: [...aliases],
  input,
  output,
  step,
}: ControlManifest): NodeTypeRow => ({
  type,
  version: 1,
  title,
  description,
  category,
  kind: 'control',
  aliases: [...aliases],
  effect: 'pure',
  input,
  output,
  step,
  tool: null,
  connections: [],
  custom: false,
  icon: null,
  color: null,
});

const workRow = (node: NodeType): NodeTypeRow => ({
  type: node.type,
  version: node.version,
  title: node.title,
  description: node.description,
  category: node.category,
  kind: 'work',
  aliases: [...(node.aliases ?? [])],
  // Where it depends on the configuration, some configuration writes.
  effect: typeof node.effect === 'function' ? 'write' : node.effect,
  input: node.input,
  output: node.output,
  step: null,
  tool: node.tool ?? null,
  connections: [...(node.connections ?? [])],
  custom: false,
  icon: null,
  color: null,
});

/** An action of a connector that the tenant has imported. */
export const importedRow = (action: NodeType): NodeTypeRow => ({ ...workRow(action), custom: true });

/** The tenant's own. */
export function customRow(node: CustomNode, types: CustomTypes): NodeTypeRow {
  const { type, authoring } = types.of(node);
  return { ...workRow(type), kind: node.kind, input: authoring, custom: true, icon: node.icon, color: node.color };
}
