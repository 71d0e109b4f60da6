/** What the search by vectors uses of WebAssembly beside what the sandbox declares. */
declare namespace WebAssembly {
  interface Memory {
    /** Adds pages of 64 KiB; what was a view of its buffer is empty afterwards. @throws RangeError at the limit */
    grow(pages: number): number;
  }
  class Instance {
    constructor(module: Module, imports: Readonly<Record<string, Readonly<Record<string, unknown>>>>);
    readonly exports: Readonly<Record<string, unknown>>;
  }
}
