export { lineWithin } from './lines';
export { type PoolPolicy, SandboxPool } from './pool';
export { type Sandbox, SandboxAborted, type SandboxErrorCode, type SandboxResult } from './types';
