import { defineConfig, type Options } from 'tsup'
import { engines, version } from './package.json'
import { embedded } from './src/build/embedded.ts'
import { folder } from './src/build/folder.ts'
import { spdxLicenses } from './src/build/licenses.ts'
import { nodeCheck } from './src/build/node-check.ts'
import { packed } from './src/build/packed.ts'
import { patches } from './src/build/patches.ts'
import { worker } from './src/build/worker.ts'

/** What the server and its tests share: Node 20, nothing left outside the bundle, assets inside it. */
const common: Options = {
  target: 'node20.19',
  platform: 'node',
  noExternal: [/.*/],
  // tsup would turn 'node:test' into 'test', which is somebody's package.
  removeNodeProtocol: false,
  loader: { '.sql': 'text' },
  define: { __VERSION__: JSON.stringify(version) },
  esbuildPlugins: [folder, packed({ licenses: spdxLicenses }), worker, patches, embedded],
  clean: true,
  silent: true,
}

/** The product: one CommonJS file, so that it runs in any folder and as the main script of an executable. */
const server: Options = {
  ...common,
  banner: { js: nodeCheck(engines.node) },
  entry: { forgehall: 'src/main.ts' },
  format: 'cjs',
  outExtension: () => ({ js: '.cjs' }),
  outDir: 'dist',
  shims: true,
  splitting: false,
  minifySyntax: true,
  minifyWhitespace: true,
  esbuildOptions: (options) => {
    // Node prints the line of an uncaught error. Some of ours would be megabytes long.
    options.lineLimit = 2000
    // Node 14 reads the whole file before it comes to the check of its version, and does not know these.
    options.supported = {
      'logical-assignment': false,
      'class-static-blocks': false,
      'class-private-brand-check': false,
    }
  },
}

/** The tests: one file each over shared chunks, run by test/support/run.ts. */
export const tests: Options = {
  ...common,
  entry: ['test/**/*.ts', '!test/bench/**'],
  // The compiler looks for its program beside itself.
  noExternal: [/^(?!typescript\/)/],
  external: [/^typescript\//],
  format: 'esm',
  outDir: '.build',
  splitting: true,
  sourcemap: true,
  // Packages in CommonJS (yaml) call require, which an ES module lacks.
  banner: {
    js: "import{createRequire as __makeRequire}from'node:module';const require=__makeRequire(import.meta.url);",
  },
  esbuildOptions: (options) => {
    options.outbase = 'test'
    // Each file reads the maps of all its chunks. Stacks need only places; the texts lie beside.
    options.sourcesContent = false
  },
}

/** The bench: the runner and each process it starts. The peers stay what they are in node_modules. */
const bench: Options = {
  ...tests,
  entry: ['test/bench/**/*.ts'],
  noExternal: [/^(?!fastify$|pg$|typescript\/)/],
  outDir: '.build/bench',
  esbuildOptions: (options) => {
    options.outbase = 'test/bench'
  },
}

const builds: Readonly<Record<string, Options>> = { tests, bench }

export default defineConfig(builds[process.env.BUILD ?? ''] ?? server)
