export {
  createEgress,
  DEFAULT_LIMITS,
  type Egress,
  type EgressLimits,
  type EgressOptions,
  type EgressRequest,
  type EgressResponse,
} from './client';
export { createDialer, type Dialer, type DialTarget } from './connect';
export { contain, MAX_INTAKE_BYTES } from './contain';
export { codeOf, EgressError, type EgressErrorKind, toEgressError } from './error';
export type { OnPart } from './exchange';
export { isConnectionHeader, isHeaderValue, isToken } from './headers';
export type { Resolver } from './resolve';
export { type EgressRule, parseEgressAllow } from './rules';
export { type Peer, secure, tlsOptions, type Verification } from './secure';
