import type { NodeType } from '../../contract';
import { check } from './check';
import { manifest } from './manifest';
import { run } from './run';

export const jsonNode: NodeType = { ...manifest, check, run };
