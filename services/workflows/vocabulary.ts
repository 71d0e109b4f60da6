import type { NodeTypeInfo, NodeTypes } from '../../dsl';
import type { NodeType } from '../../nodes/contract';
import * as setModule from '../../nodes/data/set';

const registry = new Map([['set', Object.values(setModule)[0] as NodeType]]);

/** What the language must know of a node type. */
const infoOf = ({ type, version, input, aliases }: NodeType): NodeTypeInfo => ({
  type,
  version,
  kind: 'work',
  inputSchema: input,
  aliases,
});

/** The node types that a DSL may name. */
export const nodeTypes: NodeTypes = new Map([...registry].map(([type, node]) => [type, infoOf(node)]));
