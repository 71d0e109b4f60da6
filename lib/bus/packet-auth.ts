/**
 * Authenticates packets of nodes that have the cluster key. The MAC covers the content, the receiver, the sender's
 * instance, the time and an increasing sequence number, so a recorded packet cannot be replayed.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { isObject } from '../json';
import type { BusPacket } from './hooks';

/** Maximum clock skew. A receiver that has just started accepts packets up to this old. */
const MAX_AGE_MS = 60_000;
/** Size of the replay window: how far packets of one sender may arrive out of order. */
const WINDOW = 4_096;
const MAX_SENDERS = 1_000;

interface PacketMac {
  /** The receiving node; null: all nodes. */
  readonly to: string | null;
  readonly instance: string;
  readonly at: number;
  readonly seq: number;
  readonly mac: string;
}

interface Identity {
  readonly nodeId: string;
  readonly instanceId: string;
}

export class PacketAuth {
  #seq = 0;
  readonly #windows = new Map<string, ReplayWindow>();

  /** Signs with the first key and accepts any of them. */
  constructor(
    private readonly keys: readonly [Buffer, ...Buffer[]],
    private readonly self: () => Identity,
    private readonly now: () => number,
  ) {}

  sign(packet: BusPacket): void {
    const { nodeId, instanceId } = this.self();
    const head = { to: packet.target ?? null, instance: instanceId, at: this.now(), seq: ++this.#seq };
    packet.payload.auth = { ...head, mac: macOf(this.keys[0], packet.type, nodeId, head, packet.payload) };
  }

  /** True when a node of the cluster sent this packet to this node recently, and it was not accepted before. */
  accepts(kind: string, payload: BusPacket['payload']): boolean {
    const received = parseMac(payload.auth);
    if (received === null || (received.to !== null && received.to !== this.self().nodeId)) return false;
    if (Math.abs(this.now() - received.at) > MAX_AGE_MS) return false;
    const { mac, ...head } = received;
    const given = Buffer.from(mac);
    const known = this.keys.some((key) => {
      const expected = Buffer.from(macOf(key, kind, payload.sender, head, payload));
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
    return known && this.#windowOf(`${payload.sender} ${received.instance}`).admits(received.seq);
  }

  #windowOf(sender: string): ReplayWindow {
    const known = this.#windows.get(sender);
    if (known !== undefined) return known;
    const [oldest] = this.#windows.keys();
    if (this.#windows.size >= MAX_SENDERS && oldest !== undefined) this.#windows.delete(oldest);
    const made = new ReplayWindow();
    this.#windows.set(sender, made);
    return made;
  }
}

/** Accepts each sequence number once, and none that is older than the window. */
export class ReplayWindow {
  #highest = 0;
  readonly #seen = new Float64Array(WINDOW);

  admits(seq: number): boolean {
    const at = seq % WINDOW;
    if (seq <= this.#highest - WINDOW || this.#seen[at] === seq) return false;
    this.#seen[at] = seq;
    this.#highest = Math.max(this.#highest, seq);
    return true;
  }
}

/** MAC over the JSON form of the content, without the fields that the transport adds. */
function macOf(
  key: Buffer,
  kind: string,
  sender: string,
  { to, instance, at, seq }: Omit<PacketMac, 'mac'>,
  payload: BusPacket['payload'],
): string {
  const { ver: _ver, sender: _sender, auth: _auth, ...content } = payload;
  const text = JSON.stringify(['everstep bus packet', kind, sender, to, instance, at, seq, content]);
  return createHmac('sha256', key).update(text).digest('base64url');
}

function parseMac(given: unknown): PacketMac | null {
  if (!isObject(given)) return null;
  const { to, instance, at, seq, mac } = given;
  if (to !== null && typeof to !== 'string') return null;
  if (typeof instance !== 'string' || typeof at !== 'number' || typeof mac !== 'string') return null;
  return Number.isSafeInteger(seq) && (seq as number) > 0 ? { to, instance, at, seq: seq as number, mac } : null;
}
