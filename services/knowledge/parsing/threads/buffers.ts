/** Arrays of fewer bytes are not looked at. */
const LARGE_BYTES = 1024 * 1024;

/**
 * Bounds the bytes that typed arrays of this thread take. The limit of its heap does not count them, and a compressed
 * stream of a PDF is unpacked into an array that doubles as long as there is something to unpack.
 * What goes beyond gets a RangeError, as where there is no memory at all. What the platform itself unpacks with is taken
 * away, as its bytes pass by here: pdf.js then unpacks by itself.
 */
export function boundBuffers(mostBytes: number): void {
  const bounded: Uint8ArrayConstructor = new Proxy(Uint8Array, {
    construct(target, args: [unknown?, ...unknown[]], newTarget) {
      const [length] = args;
      if (typeof length === 'number' && length >= LARGE_BYTES) assertRoom(length, mostBytes);
      return Reflect.construct(target, args, newTarget === bounded ? target : newTarget) as object;
    },
  });
  globalThis.Uint8Array = bounded;
  Reflect.deleteProperty(globalThis, 'DecompressionStream');
}

function assertRoom(length: number, most: number): void {
  if (process.memoryUsage().arrayBuffers + length > most)
    throw new RangeError(`Array buffer allocation failed: more than ${most} bytes`);
}
