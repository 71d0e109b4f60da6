import { createHmac, randomFillSync, randomUUID } from 'node:crypto';
import { stringify, v7 } from 'uuid';

/** A random UUID (version 4, 122 random bits), for ids that need not sort by time. */
export const randomId = (): string => randomUUID();

/**
 * A UUID of version 7 (RFC 9562 section 5.7): 48 bits of `nowMs`, then random bits. Sorts by creation time, and is
 * unguessable, so it may serve as a capability. `random`: 16 bytes, of which the last 10 are used.
 */
export const timeId = (nowMs: number, random: Uint8Array = randomPart()): string => v7({ msecs: nowMs, random });

const ENTROPY = Buffer.alloc(4_096);
let entropyUsed = ENTROPY.length;

/** 16 random bytes, each used once: a call for many costs the system no more than a call for few. */
function randomPart(): Uint8Array {
  if (entropyUsed === ENTROPY.length) {
    randomFillSync(ENTROPY);
    entropyUsed = 0;
  }
  return ENTROPY.subarray(entropyUsed, (entropyUsed += 16));
}

/**
 * Creates UUIDs of version 7 that increase strictly within this process, also within a millisecond and when the clock
 * steps back: the 32 bits after the time are a counter (RFC 9562 section 6.2, method 1), and 42 bits are random.
 */
export function risingTimeIds(): (nowMs: number) => string {
  let last = 0;
  let seq = 0;
  return (nowMs) => {
    seq = nowMs > last ? 0 : seq + 1;
    last = Math.max(nowMs, last);
    return v7({ msecs: last, seq });
  };
}

/** The timestamp of a UUID of version 7, in milliseconds. */
export const timeOfId = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/**
 * A UUID (version 8, RFC 9562 section 5.8) from an HMAC of the parts under a server key: equal parts give the same id,
 * and it cannot be computed without the key. Parts are length-prefixed, so no two lists collide.
 */
export function derivedId(key: Buffer, ...parts: string[]): string {
  const mac = createHmac('sha256', key);
  for (const part of parts) mac.update(`${Buffer.byteLength(part)}:${part}`);
  const bytes = mac.digest().subarray(0, 16);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  return stringify(bytes);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** True for the canonical lower-case form of a UUID. */
export const isUuid = (text: string): boolean => UUID.test(text);
