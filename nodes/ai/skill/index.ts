import type { NodeType } from '../../contract';
import { manifest } from './manifest';
import { run } from './run';

export const skillNode: NodeType = { ...manifest, run };
