import { Discoverers } from 'moleculer';
import { disconnectNode, failCallsTo, nodeOf } from './internals';
import { outagesOf } from './transporter';

const HEARTBEAT_INTERVAL_MS = 1_000;
const CHECK_INTERVAL_MS = 250;
/** Shorter than a host lease (four seconds); a node that is only busy may miss three heartbeats. */
const HEARTBEAT_TIMEOUT_MS = 3_250;
/** A check that runs this late means that this process itself stalled. */
const STALL_MS = 1_000;

type NodeInfo = Parameters<Discoverers.Local['processRemoteNodeInfo']>[1];

/** Nodes whose last heartbeat is older than `limitMs`. */
export const expiredNodes = (heartbeatAt: ReadonlyMap<string, number>, now: number, limitMs: number): string[] =>
  [...heartbeatAt].filter(([, at]) => now - at > limitMs).map(([id]) => id);

/**
 * Detects a lost node within four seconds. Moleculer's discoverer counts whole seconds and checks once per timeout,
 * which takes twice as long. A process that stalled itself (stopped, busy or disconnected) resets all timers instead of
 * declaring the others lost. Tests: test/unit/lib/bus and test/integration/bus/outages.spec.ts.
 */
export class BusDiscoverer extends Discoverers.Local {
  readonly #heartbeatAt = new Map<string, number>();
  #checkedAt = performance.now();

  /** Moleculer's timers check once per timeout and count whole seconds. */
  override startHeartbeatTimers(): void {
    this.stopHeartbeatTimers();
    this.#resetTimers(performance.now());
    void this.beat();
    this.heartbeatTimer = setInterval(() => void this.beat(), HEARTBEAT_INTERVAL_MS).unref();
    this.checkNodesTimer = setInterval(() => this.checkRemoteNodes(), CHECK_INTERVAL_MS).unref();
    this.offlineTimer = setInterval(() => this.checkOfflineNodes(), 60_000).unref();
  }

  /** Omits CPU usage, which takes 100 ms to measure and which no strategy in use reads. */
  override beat(): Promise<void> {
    return this.sendHeartbeat();
  }

  /** Records the time of a heartbeat in milliseconds. */
  override heartbeatReceived(nodeId: string, payload: Record<string, unknown>): void {
    if (nodeOf(this.broker, nodeId) !== undefined) this.#heartbeatAt.set(nodeId, performance.now());
    super.heartbeatReceived(nodeId, payload);
  }

  /** Moleculer leaves calls pending that the node lost in a restart or an outage. */
  override processRemoteNodeInfo(
    nodeId: string,
    payload: NodeInfo,
  ): ReturnType<Discoverers.Local['processRemoteNodeInfo']> {
    this.#heartbeatAt.set(nodeId, performance.now());
    const known = nodeOf(this.broker, nodeId);
    // Restarted under the same id before its loss was detected: calls to the previous instance get no response.
    if (known?.available === true && known.instanceID && known.instanceID !== payload.instanceID)
      super.remoteNodeDisconnected(nodeId, true);
    // The node lost its connection for a moment; responses sent meanwhile are lost.
    else if (outagesOf(known?.metadata) !== outagesOf(payload.metadata)) failCallsTo(this.broker, nodeId);
    return super.processRemoteNodeInfo(nodeId, payload);
  }

  /** Drops the node's heartbeat time. */
  override remoteNodeDisconnected(nodeId: string, isUnexpected: boolean): void {
    this.#heartbeatAt.delete(nodeId);
    super.remoteNodeDisconnected(nodeId, isUnexpected);
  }

  /** Moleculer would disconnect all nodes after this process itself stalled. */
  override checkRemoteNodes(): void {
    const now = performance.now();
    if (now - this.#checkedAt > STALL_MS) this.#resetTimers(now);
    this.#checkedAt = now;
    for (const id of expiredNodes(this.#heartbeatAt, now, HEARTBEAT_TIMEOUT_MS)) {
      this.logger.warn(`No heartbeat from node ${id} for ${HEARTBEAT_TIMEOUT_MS} ms; marking it disconnected`);
      disconnectNode(this.broker, id);
    }
  }

  #resetTimers(now: number): void {
    for (const id of this.#heartbeatAt.keys()) this.#heartbeatAt.set(id, now);
    this.#checkedAt = now;
  }
}
