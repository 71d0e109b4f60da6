import type { CallingOptions, Context, Middleware, ServiceBroker } from 'moleculer';

/** The parts of a packet that this folder reads. */
export interface BusPacket {
  readonly type: string;
  /** Null or absent: broadcast. */
  readonly target?: string | null;
  readonly payload: {
    readonly ver?: unknown;
    readonly sender: string;
    readonly id?: unknown;
    readonly instanceID?: string;
    metadata?: unknown;
    services?: unknown;
    meta?: unknown;
    /** See PacketAuth. */
    auth?: unknown;
  };
}

type Wrap<F> = (next: F) => F;
type Handler = (ctx: Context) => Promise<unknown>;

/** Signature of `broker.call`. */
type CallByName = (action: string, params: unknown, options?: CallingOptions) => Promise<unknown>;

/** The Moleculer middleware hooks that this folder uses, with their real signatures. */
interface BusHooks {
  readonly name: string;
  readonly created?: (broker: ServiceBroker) => void;
  readonly starting?: (broker: ServiceBroker) => Promise<void>;
  readonly started?: (broker: ServiceBroker) => Promise<void>;
  readonly stopping?: (broker: ServiceBroker) => Promise<void>;
  readonly localAction?: (next: Handler, action: { readonly name: string }) => Handler;
  readonly remoteAction?: Wrap<Handler>;
  readonly call?: Wrap<CallByName>;
  readonly transitPublish?: Wrap<(packet: BusPacket) => Promise<unknown>>;
  readonly transitMessageHandler?: Wrap<(kind: string, packet: BusPacket) => Promise<unknown>>;
  readonly transporterSend?: Wrap<(topic: string, data: Buffer, meta: { packet: BusPacket }) => Promise<void>>;
  readonly transporterReceive?: Wrap<(kind: string, data: Buffer, ...rest: unknown[]) => unknown>;
}

/** Moleculer's types declare the wrong return types for hooks: the result of the wrapped function, not a function. */
export const middleware = (hooks: BusHooks): Middleware => hooks as unknown as Middleware;
