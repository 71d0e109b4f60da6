import type { BrokerOptions } from 'moleculer';
import type { Connection } from 'mongoose';
import type { BusConfig } from '../../lib/bus-config';
import { ConfigError } from '../../lib/config';
import { connectionOptions } from './connection';
import { BusDiscoverer } from './discoverer';
import { draining } from './drain';
import { ErrorsOnTheBus } from './errors';
import { type BusKeys, packetGuard } from './guard';
import { isNodeName } from './packets';
import { PARCELS_METADATA, parcelPost } from './parcel-post';
import { ParcelOffice } from './parcels';
import { repeating } from './repeat';
import { NatsTransporter } from './transporter';

/** What the bus needs of the process. */
export interface BusParts {
  readonly db: Connection;
  /** That all processes of the cluster have, and nobody else. */
  readonly keys: BusKeys;
  /** Names of actions whose repetition is harmless. */
  readonly repeatable: ReadonlySet<string>;
  /** Names of actions whose callers have another way when nobody is there. */
  readonly avoidable: ReadonlySet<string>;
  readonly stopGraceMs: number;
  /** Called when the process cannot go on: another one has its name. */
  readonly onFatal: (fault: Error) => void;
}

/** Options of a broker that is one of many. @throws ConfigError for a name or files that cannot be used */
export function busOptions(bus: BusConfig, nodeId: string, parts: BusParts): Partial<BrokerOptions> {
  if (!isNodeName(nodeId))
    throw new ConfigError([
      `The name of this process, ${nodeId}, cannot be used on the bus; set NODE_ID to another one`,
    ]);
  const transporter = new NatsTransporter(connectionOptions(bus, nodeId));
  return {
    transporter,
    errorRegenerator: new ErrorsOnTheBus(),
    metadata: { ...PARCELS_METADATA },
    // In seconds; the discoverer has times of its own.
    heartbeatInterval: 1,
    heartbeatTimeout: 3,
    registry: { preferLocal: true, discoverer: new BusDiscoverer() as never },
    // Services all start within a moment; a node that joins should be known soon after.
    transit: { maxChunkSize: 65_536, serviceChangedDebounceTime: 100 } as BrokerOptions['transit'],
    middlewares: [
      packetGuard(parts.keys, parts.onFatal),
      parcelPost(new ParcelOffice(parts.db), () => transporter.maxPayload - MARGIN_BYTES),
      draining(parts.repeatable, parts.stopGraceMs),
      repeating(parts.repeatable, parts.avoidable),
    ],
  };
}

/** Servers with the same limit may count differently what belongs to a message. */
const MARGIN_BYTES = 1_024;
