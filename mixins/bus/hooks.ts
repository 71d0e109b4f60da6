import type { CallingOptions, Context, Middleware, ServiceBroker } from 'moleculer';

/** What the kinds of packets have in common, and what we look at in some of them. */
export interface BusPacket {
  readonly type: string;
  /** Null: to whoever listens. */
  readonly target: string | null;
  readonly payload: {
    readonly sender: string;
    readonly id?: unknown;
    readonly instanceID?: string;
    metadata?: unknown;
    services?: unknown;
    meta?: unknown;
  };
}

type Wrap<F> = (next: F) => F;
type Handler = (ctx: Context) => Promise<unknown>;

/** A call by name, as a broker takes it. */
export type CallByName = (action: string, params: unknown, options?: CallingOptions) => Promise<unknown>;

/** The hooks of Moleculer that the bus uses, as they are called. */
export interface BusHooks {
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

/** Moleculer's types name what hooks return wrongly: the result of the wrapped function, in place of a function. */
export const middleware = (hooks: BusHooks): Middleware => hooks as unknown as Middleware;
