import type { NodeType } from '../../contract';
import { manifest } from './manifest';
import { run } from './run';

export const approvalNode: NodeType = { ...manifest, run };
