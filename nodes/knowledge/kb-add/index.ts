import type { NodeType } from '../../contract';
import { manifest } from './manifest';
import { run } from './run';

export const kbAddNode: NodeType = { ...manifest, run };
