/** Smaller arrays are not checked. */
const LARGE_BYTES = 1024 * 1024;

/**
 * Limits the memory of typed arrays in this thread. The heap limit does not count them, and pdf.js decompresses a PDF
 * stream into an array that it doubles until the stream ends. An allocation over the limit throws a RangeError, like one
 * that fails for lack of memory. Removes `DecompressionStream`, whose memory is not counted here, so that pdf.js
 * decompresses in JavaScript.
 */
export function boundBuffers(maxBytes: number): void {
  const bounded: Uint8ArrayConstructor = new Proxy(Uint8Array, {
    construct(target, args: [unknown?, ...unknown[]], newTarget) {
      const [length] = args;
      if (typeof length === 'number' && length >= LARGE_BYTES) assertRoom(length, maxBytes);
      return Reflect.construct(target, args, newTarget === bounded ? target : newTarget) as object;
    },
  });
  globalThis.Uint8Array = bounded;
  Reflect.deleteProperty(globalThis, 'DecompressionStream');
}

function assertRoom(length: number, maxBytes: number): void {
  if (process.memoryUsage().arrayBuffers + length > maxBytes)
    throw new RangeError(`Array buffer allocation failed: more than ${maxBytes} bytes`);
}
