import type { BrokerOptions } from 'moleculer';
import type { Connection } from 'mongoose';
import type { BusConfig } from '../bus-config';
import { ConfigError } from '../config';
import { connectionOptions } from './connection';
import { BusDiscoverer } from './discoverer';
import { draining } from './drain';
import { BusErrorRegenerator } from './errors';
import { type BusKeys, validatePackets } from './packet-validation';
import { isNodeName } from './packets';
import { OFFLOAD_METADATA, claimCheck } from './claim-check';
import { OffloadStore } from './offload-store';
import { retryCalls } from './retry';
import { NatsTransporter } from './transporter';

/** What the bus needs from the process. */
interface BusDeps {
  readonly db: Connection;
  /** Shared by all processes of the cluster, and by no other program. */
  readonly keys: BusKeys;
  /** Names of actions that may run twice. */
  readonly idempotent: ReadonlySet<string>;
  /** Names of actions whose callers have a fallback: they fail at once when no node offers the action. */
  readonly hasFallback: ReadonlySet<string>;
  readonly stopGraceMs: number;
  /** Called when the process must end: another process uses its node id. */
  readonly onFatal: (fault: Error) => void;
}

/** Options of a broker that is part of a cluster. @throws ConfigError for an invalid node id or unreadable files */
export function busOptions(bus: BusConfig, nodeId: string, parts: BusDeps): Partial<BrokerOptions> {
  if (!isNodeName(nodeId))
    throw new ConfigError([
      `The node id ${nodeId} cannot be used in NATS subjects; set NODE_ID to letters, digits, "_", ":", "@", "-" and single dots`,
    ]);
  const transporter = new NatsTransporter(connectionOptions(bus, nodeId));
  return {
    transporter,
    errorRegenerator: new BusErrorRegenerator(),
    metadata: { ...OFFLOAD_METADATA },
    // In seconds. The discoverer uses its own, shorter intervals.
    heartbeatInterval: 1,
    heartbeatTimeout: 3,
    registry: { preferLocal: true, discoverer: new BusDiscoverer() as never },
    // All services start at about the same time; a new node should be announced soon after.
    transit: { maxChunkSize: 65_536, serviceChangedDebounceTime: 100 } as BrokerOptions['transit'],
    middlewares: [
      validatePackets(parts.keys, parts.onFatal),
      claimCheck(new OffloadStore(parts.db), () => transporter.maxPayload - MARGIN_BYTES),
      draining(parts.idempotent, parts.stopGraceMs),
      retryCalls(parts.idempotent, parts.hasFallback),
    ],
  };
}

/** NATS servers may count message overhead differently. */
const MARGIN_BYTES = 1_024;
