import type { NodeType } from '../../contract';
import { check } from './check';
import { manifest } from './manifest';
import { run } from './run';

export const filterNode: NodeType = { ...manifest, check, run };
