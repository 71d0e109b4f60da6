/** A byte buffer that only grows; one writer is reused for many keys. */
export class ByteWriter {
  protected bytes: Buffer = Buffer.allocUnsafe(4096);
  length = 0;

  /** A copy of what was written. */
  take(): Buffer {
    return Buffer.from(this.bytes.subarray(0, this.length));
  }

  byte(value: number): void {
    this.reserve(1);
    this.bytes[this.length++] = value;
  }

  uint32(value: number): this {
    this.reserve(4);
    this.length = this.bytes.writeUInt32BE(value, this.length);
    return this;
  }

  uint64(value: bigint): void {
    this.reserve(8);
    this.length = this.bytes.writeBigUInt64BE(value, this.length);
  }

  append(bytes: Uint8Array): this {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
    return this;
  }

  protected reserve(count: number): void {
    if (this.length + count <= this.bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.bytes.length * 2, this.length + count));
    this.bytes.copy(grown, 0, 0, this.length);
    this.bytes = grown;
  }
}

/** Inverts all bits in place, which reverses the sort order. */
export function invert(bytes: Uint8Array, start = 0, end = bytes.length): void {
  for (let at = start; at < end; at++) bytes[at] = ~(bytes[at] as number);
}
