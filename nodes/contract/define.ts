import type { NodeType } from '.';

/** The definition of a node type, with optional members. */
type NodeDefinition = Omit<NodeType, 'version' | 'onInterrupted'> & {
  /** Defaults to 1. */
  readonly version?: number;
} & (
    | { readonly effect: 'pure'; readonly onInterrupted?: NodeType['onInterrupted'] }
    | Pick<NodeType, 'effect' | 'onInterrupted'>
  );

/** A node type from its definition. Pure types default to `retry` after a crash of the host. */
export const defineNode = (definition: NodeDefinition): NodeType => ({
  version: 1,
  onInterrupted: 'retry',
  ...definition,
});
