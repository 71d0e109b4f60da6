import type { NodeTypeInfo, NodeTypes } from '../../dsl';
import { nodes } from '../../nodes';
import type { NodeType } from '../../nodes/contract';

/** What the language must know of a node type. */
const infoOf = ({ type, version, input, aliases }: NodeType): NodeTypeInfo => ({
  type,
  version,
  kind: 'work',
  inputSchema: input,
  aliases,
});

/** The node types that a DSL may name. */
export const nodeTypes: NodeTypes = new Map([...nodes.types.values()].map((node) => [node.type, infoOf(node)]));
