import { defineConfig, type Options } from 'tsup'
import { version } from './package.json'
import { asset } from './src/build/asset.ts'
import { embedded } from './src/build/embedded.ts'
import { folder } from './src/build/folder.ts'
import { nodeCheck } from './src/build/node-check.ts'
import { packed } from './src/build/packed.ts'
import { patches } from './src/build/patches.ts'
import { testLibraries } from './src/build/test-libraries.ts'
import { worker } from './src/build/worker.ts'

const plugins = [folder, asset, packed, worker, patches, embedded]
const common: Options = {
  target: 'node20.19',
  noExternal: [/.*/],
  removeNodeProtocol: false, // it would turn 'node:test' into 'test', which is somebody's package
  define: { __VERSION__: JSON.stringify(version) },
  clean: true,
  silent: true,
}

/** The product: one CommonJS file, so that it runs in any folder and as the main script of an executable. */
const server: Options = {
  ...common,
  entry: { forgehall: 'src/main.ts' },
  esbuildPlugins: [...plugins, nodeCheck],
  outExtension: () => ({ js: '.cjs' }),
  minifySyntax: true,
  minifyWhitespace: true,
  esbuildOptions: (options) => {
    options.lineLimit = 2000 // node prints the line of an uncaught error
  },
}

/** The tests and the scripts beside them (bench, faults, upgrade, operating): one file each over shared chunks. */
export const tests: Options = {
  ...common,
  entry: ['test/**/*.ts'],
  esbuildPlugins: [...plugins, testLibraries],
  format: 'esm',
  outDir: '.build',
  sourcemap: true,
  esbuildOptions: (options) => {
    options.sourcesContent = false // stacks need only places, and each file reads the maps of all its chunks
  },
}

export default defineConfig(process.env.BUILD === 'tests' ? tests : server)
