import { wasm } from 'embedded:postgres'
import { promisify } from 'node:util'
import { inflateRaw } from 'node:zlib'

/**
 * Has V8 compile the program of the embedded PostgreSQL once and quickly, function by function as they are called. To
 * optimize them, as it would, takes longer than a test file or a command of a few seconds can gain by it.
 */
export const compileQuickly = '--liftoff-only'

/**
 * Has V8 optimize only what has run ten times as long as by default: a lane keeps the program for all of its files, and
 * those that ask the database much take a fifth less processor time.
 */
export const optimizeLate = '--wasm-tiering-budget=18000000'

let program: Promise<WebAssembly.Module> | undefined

/**
 * Keeps the program of the embedded PostgreSQL compiled: V8 hands what it has compiled of it on to the next engine of
 * this process, but only while somebody holds it.
 */
export async function keepProgram(): Promise<void> {
  program ??= promisify(inflateRaw)(wasm()).then((bytes) => WebAssembly.compile(bytes))
  await program
}
