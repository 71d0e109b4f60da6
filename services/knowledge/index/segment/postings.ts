/** Whole numbers of 7 bits a byte, the lowest first, the last byte with its high bit clear (as in Protocol Buffers). */
export class VarintWriter {
  #bytes = new Uint8Array(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  write(value: number): void {
    if (this.#length + 5 > this.#bytes.length) this.#grow();
    let rest = value;
    while (rest > 0x7f) {
      this.#bytes[this.#length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.#bytes[this.#length++] = rest;
  }

  done(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length);
  }

  #grow(): void {
    const larger = new Uint8Array(this.#bytes.length * 2);
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

/**
 * Where a term is: pairs of the distance to the row before and how often the term is in the row. One reader goes over one
 * list; no object is made for a posting.
 */
export class PostingsReader {
  row = -1;
  count = 0;

  constructor(
    private readonly bytes: Uint8Array,
    private at: number,
    private readonly end: number,
  ) {}

  /** Moves to the next posting; false at the end. */
  next(): boolean {
    if (this.at >= this.end) return false;
    this.row += this.#read();
    this.count = this.#read();
    return true;
  }

  #read(): number {
    let byte = this.bytes[this.at++] as number;
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    for (let shift = 7; byte >= 0x80; shift += 7) {
      byte = this.bytes[this.at++] as number;
      value |= (byte & 0x7f) << shift;
    }
    return value >>> 0;
  }
}
