export { createEgress, type Egress, type EgressOptions, type EgressRequest } from './client';
export { createDialer, type Dialer } from './connect';
export { guardSocket, MAX_RECEIVED_BYTES, resetReceivedBytes } from './guarded-socket';
export { codeOf, EgressError, type EgressErrorKind, toEgressError } from './error';
export type { OnPart } from './exchange';
export { isConnectionHeader, isHeaderValue, isToken } from './headers';
export type { Resolver } from './resolve';
export { type EgressRule, parseEgressAllow } from './rules';
export { type Peer, secure, tlsOptions, type Verification } from './secure';
