/**
 * Sections of numbers and bytes, one behind the other, each at a multiple of four from the beginning. Numbers are those of
 * the machine, which is little-endian wherever Node is built for today.
 */

const aligned = (length: number): number => (length + 3) & ~3;

/** Puts sections together, each with its length (bytes) before it. */
export function packed(sections: readonly ArrayBufferView[]): Uint8Array<ArrayBuffer> {
  const size = sections.reduce((sum, { byteLength }) => sum + 4 + aligned(byteLength), 0);
  const bytes = new Uint8Array(size);
  const lengths = new DataView(bytes.buffer);
  let at = 0;
  for (const { buffer, byteOffset, byteLength } of sections) {
    lengths.setUint32(at, byteLength, true);
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at + 4);
    at += 4 + aligned(byteLength);
  }
  return bytes;
}

/** Reads what `packed` has written, section by section, without copying. `bytes` begins its buffer. */
export class Unpacked {
  #at = 0;

  constructor(private readonly bytes: Uint8Array<ArrayBuffer>) {
    if (bytes.byteOffset !== 0) throw new Error('Sections are read from the beginning of their memory');
  }

  numbers(): Uint32Array {
    const { at, length } = this.#next();
    return new Uint32Array(this.bytes.buffer, at, length / 4);
  }

  floats(): Float32Array {
    const { at, length } = this.#next();
    return new Float32Array(this.bytes.buffer, at, length / 4);
  }

  text(): Buffer {
    const { at, length } = this.#next();
    return Buffer.from(this.bytes.buffer, at, length);
  }

  #next(): { at: number; length: number } {
    const lengths = new DataView(this.bytes.buffer);
    if (this.#at + 4 > this.bytes.length) throw new Error('The segment is shorter than it says');
    const length = lengths.getUint32(this.#at, true);
    const at = this.#at + 4;
    if (at + length > this.bytes.length) throw new Error('The segment is shorter than it says');
    this.#at = at + aligned(length);
    return { at, length };
  }
}
