import type { NodeType } from '../../contract';
import { manifest } from './manifest';
import { run } from './run';

export const subWorkflowNode: NodeType = { ...manifest, run };
