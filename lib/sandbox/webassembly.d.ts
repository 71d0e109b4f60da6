/** The used part of the WebAssembly API: Node has it, but its types come with the browser types. */
declare namespace WebAssembly {
  class Module {
    private readonly compiled: true;
  }
  class Memory {
    constructor(descriptor: { initial: number; maximum: number });
    readonly buffer: ArrayBuffer;
  }
  function compile(bytes: Uint8Array): Promise<Module>;
}
