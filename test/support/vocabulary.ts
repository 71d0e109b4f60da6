import type { NodeTypes } from '../../dsl';
import { nodes } from '../../nodes';

/** What the language must know of the built-in node types. */
export const builtIn: NodeTypes = new Map(
  [...nodes.types.values()].map(({ type, version, input, aliases }) => [
    type,
    { type, version, kind: 'work', inputSchema: input, ...(aliases === undefined ? {} : { aliases }) },
  ]),
);
