import type { Compute } from '../../lib/compute';
import type { Json, JsonObject } from '../../lib/json';
import type { ConnectionResult, ConnectionRequest, NodeHttp, NodeNet, StepError } from '../contract';

/** Something new at a source. */
export interface PollItem {
  /** The same whenever the source shows this item again: it starts one run. */
  readonly id: string;
  /** The run's `trigger`. */
  readonly trigger: JsonObject;
}

/** What a source is asked with. */
export interface PollWorld {
  /** The trigger's settings, secrets in place. */
  readonly config: JsonObject;
  /** What the source has answered before; null when it is asked for the first time. */
  readonly cursor: Json;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly signal: AbortSignal;
  /** Guarded, and bounded in time and size. */
  readonly http: NodeHttp;
  readonly net: NodeNet;
  /** Most items that are worth fetching: what is left is asked for again at once. */
  readonly limit: number;
  readonly connectorUrls: ReadonlyMap<string, string>;
  /** For expressions that take long. */
  readonly compute: Compute;
  /** Values of secrets that the source uses itself; messages hide them from then on. @throws PollFault when one is missing */
  secrets(names: readonly string[]): Promise<Readonly<Record<string, string>>>;
  connection(ref: string, wanted: ConnectionRequest): Promise<ConnectionResult>;
  /** Whether an item has started its run before, as far as that is remembered. */
  known(id: string): boolean;
}

/**
 * An answer of a source. Items are in the order in which they are to start; those that are known may be among them. The
 * cursor counts when all of them have started. At the first time, items are what is there already: they start nothing.
 */
export type Polled =
  | {
      readonly kind: 'items';
      readonly items: readonly PollItem[];
      readonly cursor: Json;
      readonly more: boolean;
      /** True: these were there when the trigger was made, too, and start nothing. */
      readonly existing?: boolean;
    }
  | {
      readonly kind: 'fault';
      readonly error: StepError;
      /** False: a user has to fix something first. */
      readonly retryable: boolean;
      readonly retryAfterMs: number | null;
    };

/** A source that is asked now and then what is new. A folder of `nodes/pollers` each. Holds no state. */
export interface Poller {
  /** The type of the trigger. */
  readonly type: string;
  /** @throws PollFault, EgressError */
  poll(world: PollWorld): Promise<Extract<Polled, { kind: 'items' }>>;
}
