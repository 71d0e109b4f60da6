import type { NodeType } from '../../contract';
import { manifest } from './manifest';
import { run } from './run';

export const kbQueryNode: NodeType = { ...manifest, run };
