import type { NodeContext, NodeCapabilities } from './contract';

/** The part of the node context that suffices for one request to one server; connectors have it too. */
export interface MinimalContext
  extends Pick<NodeContext, 'input' | 'signal' | 'now' | 'idempotencyKey' | 'http' | 'redact'> {
  readonly capabilities: Pick<NodeCapabilities, 'net'>;
}
