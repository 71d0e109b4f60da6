import type { Compute } from '../../lib/compute';
import type { Json, JsonObject } from '../../lib/json';
import type { ConnectionResult, ConnectionRequest, NodeHttp, NodeNet, StepError } from '../contract';

/** A new item of a source. */
export interface PollItem {
  /** Identifies the item: each id starts one run. */
  readonly id: string;
  /** The `trigger` of the run. */
  readonly trigger: JsonObject;
}

/** Arguments of a poll. */
export interface PollContext {
  /** The trigger's settings, with secrets inserted. */
  readonly config: JsonObject;
  /** The cursor of the previous poll; null for the first poll. */
  readonly cursor: Json;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly signal: AbortSignal;
  /** With address checks and limits for time and size. */
  readonly http: NodeHttp;
  readonly net: NodeNet;
  /** Maximum number of items. If there are more, the source is polled again at once. */
  readonly limit: number;
  readonly connectorUrls: ReadonlyMap<string, string>;
  /** For CPU-bound work. */
  readonly compute: Compute;
  /** Values of secrets. They are redacted from now on. @throws PollFault if one does not exist */
  secrets(names: readonly string[]): Promise<Readonly<Record<string, string>>>;
  connection(ref: string, wanted: ConnectionRequest): Promise<ConnectionResult>;
  /** True if the item is remembered as one that has started a run. */
  known(id: string): boolean;
}

/**
 * The result of a poll. Items are in the order in which their runs start, and may include known ones. The cursor is
 * stored once all runs have started. The items of the first poll exist already and start no runs.
 */
export type Polled =
  | {
      readonly kind: 'items';
      readonly items: readonly PollItem[];
      readonly cursor: Json;
      readonly more: boolean;
      /** True: the items existed when the trigger was created, and start no runs. */
      readonly existing?: boolean;
    }
  | {
      readonly kind: 'fault';
      readonly error: StepError;
      /** False: a user must change something first. */
      readonly retryable: boolean;
      readonly retryAfterMs: number | null;
    };

/** A source that is polled for new items. Each is a folder of `nodes/pollers`, and has no state. */
export interface Poller {
  /** The type of the trigger. */
  readonly type: string;
  /** @throws PollFault, EgressError */
  poll(context: PollContext): Promise<Extract<Polled, { kind: 'items' }>>;
}
