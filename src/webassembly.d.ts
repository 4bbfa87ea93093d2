/** The parts of WebAssembly this server touches: TypeScript knows them as the browser's, Node's types leave them out. */
declare namespace WebAssembly {
  interface Module {
    readonly [Symbol.toStringTag]: string
  }
  interface Memory {
    /** Replaced by a larger one when the memory grows. */
    readonly buffer: ArrayBuffer
  }
  function compile(bytes: Uint8Array): Promise<Module>
}
