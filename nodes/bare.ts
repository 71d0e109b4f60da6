import type { NodeContext, NodeMeans } from './contract';

/** What a step needs that talks to one server and does nothing else: so much, connectors have too. */
export interface BareContext
  extends Pick<NodeContext, 'input' | 'signal' | 'now' | 'idempotencyKey' | 'http' | 'mask'> {
  readonly means: Pick<NodeMeans, 'net'>;
}
