import { packed, Unpacked } from './packed';

/** The vectors of a segment's rows as they are stored: of unit length, one behind the other. */
export interface VectorRows {
  /** Number of each row in its document. */
  readonly ns: Uint32Array;
  readonly vectors: Float32Array;
}

export const packVectors = ({ ns, vectors }: VectorRows): Uint8Array<ArrayBuffer> => packed([ns, vectors]);

/** Reads what `packVectors` has written, without copying. */
export function unpackVectors(bytes: Uint8Array<ArrayBuffer>): VectorRows {
  const sections = new Unpacked(bytes);
  return { ns: sections.numbers(), vectors: sections.floats() };
}
