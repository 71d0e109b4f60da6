export {
  createEgress,
  DEFAULT_LIMITS,
  type Egress,
  type EgressLimits,
  type EgressOptions,
  type EgressRequest,
  type EgressResponse,
} from './client';
export { EgressError, type EgressErrorKind } from './error';
export { isConnectionHeader, isHeaderValue, isToken } from './headers';
export type { Resolver } from './resolve';
export { type EgressRule, parseEgressAllow } from './rules';
