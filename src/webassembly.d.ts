/** The used parts of WebAssembly: TypeScript declares them only for browsers, Node's types omit them. */
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
