import type { NodeType } from './contract';

/** The data half of a node type: everything but `run`. */
export type NodeManifest = Omit<NodeType, 'run'>;
