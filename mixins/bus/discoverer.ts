import { Discoverers } from 'moleculer';
import { outagesOf } from './transporter';

const BEAT_MS = 1_000;
const LOOK_MS = 250;
/** A node that died is missed before a lease of four seconds is over; one that is only busy gets three beats. */
const SILENCE_MS = 3_250;
/** A look that comes so late says that this process did not listen. */
const DEAF_MS = 1_000;

type NodeInfo = Parameters<Discoverers.Local['processRemoteNodeInfo']>[1];

/** Nodes that were last heard of longer ago than `limitMs`. */
export const silentNodes = (heardAt: ReadonlyMap<string, number>, now: number, limitMs: number): string[] =>
  [...heardAt].filter(([, at]) => now - at > limitMs).map(([id]) => id);

/**
 * Knows within four seconds that a node is gone. Moleculer's own counts whole seconds, and looks once in a time-out:
 * twice as long. A node that was deaf itself, because it was stopped, busy or cut off, blames nobody for it.
 */
export class BusDiscoverer extends Discoverers.Local {
  readonly #heardAt = new Map<string, number>();
  #lookedAt = performance.now();

  override startHeartbeatTimers(): void {
    this.stopHeartbeatTimers();
    this.#forgive(performance.now());
    void this.beat();
    this.heartbeatTimer = setInterval(() => void this.beat(), BEAT_MS).unref();
    this.checkNodesTimer = setInterval(() => this.checkRemoteNodes(), LOOK_MS).unref();
    this.offlineTimer = setInterval(() => this.checkOfflineNodes(), 60_000).unref();
  }

  /** Without the figures on CPU use, which cost a tenth of a second, and which no strategy of ours looks at. */
  override beat(): Promise<void> {
    return this.sendHeartbeat();
  }

  override heartbeatReceived(nodeId: string, payload: Record<string, unknown>): void {
    if (this.registry.nodes.has(nodeId)) this.#heardAt.set(nodeId, performance.now());
    super.heartbeatReceived(nodeId, payload);
  }

  override processRemoteNodeInfo(
    nodeId: string,
    payload: NodeInfo,
  ): ReturnType<Discoverers.Local['processRemoteNodeInfo']> {
    this.#heardAt.set(nodeId, performance.now());
    const known = this.registry.nodes.get(nodeId);
    // Started again under its name before it was missed: the calls that its predecessor had will never be answered.
    if (known?.available === true && known.instanceID && known.instanceID !== payload.instanceID)
      this.registry.nodes.disconnected(nodeId, true);
    // It was away for a moment; what it would have answered then is lost.
    else if (outagesOf(known?.metadata) !== outagesOf(payload.metadata))
      this.transit?.removePendingRequestByNodeID(nodeId);
    return super.processRemoteNodeInfo(nodeId, payload);
  }

  override remoteNodeDisconnected(nodeId: string, isUnexpected: boolean): void {
    this.#heardAt.delete(nodeId);
    super.remoteNodeDisconnected(nodeId, isUnexpected);
  }

  override checkRemoteNodes(): void {
    const now = performance.now();
    if (now - this.#lookedAt > DEAF_MS) this.#forgive(now);
    this.#lookedAt = now;
    for (const id of silentNodes(this.#heardAt, now, SILENCE_MS)) {
      this.logger.warn(`Nothing is heard of ${id}; it is taken for gone until it is`);
      this.#heardAt.delete(id);
      this.registry.nodes.disconnected(id, true);
    }
  }

  #forgive(now: number): void {
    for (const id of this.#heardAt.keys()) this.#heardAt.set(id, now);
    this.#lookedAt = now;
  }
}
