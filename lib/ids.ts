import { createHmac, randomBytes, randomUUID } from 'node:crypto';

const format = (bytes: Buffer): string => {
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
};

const stamp = (bytes: Buffer, version: number): Buffer => {
  bytes[6] = ((bytes[6] as number) & 0x0f) | (version << 4);
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  return bytes;
};

/** A random UUID (version 4, 122 random bits): the id of whatever need not sort by time. */
export const randomId = (): string => randomUUID();

/**
 * A UUID of version 7 (RFC 9562 section 5.7): 48 bits of `nowMs`, then 74 random bits. Sorts by creation time,
 * and stays unguessable, so it may serve as a capability.
 */
export function timeId(nowMs: number, random: Buffer = randomBytes(10)): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(nowMs, 0, 6);
  random.copy(bytes, 6, 0, 10);
  return format(stamp(bytes, 7));
}

/**
 * Makes UUIDs of version 7 that rise strictly within this process, also within one millisecond and when the clock steps
 * back: the 12 bits after the time count (RFC 9562 section 6.2, method 1), and 62 stay random.
 */
export function risingTimeIds(): (nowMs: number) => string {
  let last = 0;
  let count = 0;
  return (nowMs) => {
    count = nowMs > last ? 0 : count + 1;
    last = Math.max(nowMs, last);
    if (count > 0xfff) [last, count] = [last + 1, 0];
    const random = randomBytes(10);
    random.writeUInt16BE(count, 0);
    return timeId(last, random);
  };
}

/** The time in a UUID of version 7, in milliseconds. */
export const timeOfId = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/**
 * A UUID (version 8, RFC 9562 section 5.8) made from an HMAC of the parts under a server key: the same parts give
 * the same id, and nobody without the key can compute it. Parts are length-prefixed, so no two lists collide.
 */
export function derivedId(key: Buffer, ...parts: string[]): string {
  const mac = createHmac('sha256', key);
  for (const part of parts) mac.update(`${Buffer.byteLength(part)}:${part}`);
  return format(stamp(mac.digest().subarray(0, 16), 8));
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** True for the canonical lower-case text of a UUID. */
export const isUuid = (text: string): boolean => UUID.test(text);
