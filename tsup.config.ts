import { defineConfig, type Options } from 'tsup'
import { engines, version } from './package.json'
import { asset } from './src/build/asset.ts'
import { embedded } from './src/build/embedded.ts'
import { folder } from './src/build/folder.ts'
import { formerCompiler } from './src/build/former-compiler.ts'
import { nodeCheck } from './src/build/node-check.ts'
import { packed } from './src/build/packed.ts'
import { patches } from './src/build/patches.ts'
import { worker } from './src/build/worker.ts'

const common: Options = {
  target: 'node20.19',
  removeNodeProtocol: false, // it would turn 'node:test' into 'test', which is somebody's package
  loader: { '.sql': 'text' },
  define: { __VERSION__: JSON.stringify(version) },
  esbuildPlugins: [folder, asset, packed, worker, patches, embedded],
  clean: true,
  silent: true,
}

/** The product: one CommonJS file, so that it runs in any folder and as the main script of an executable. */
const server: Options = {
  ...common,
  entry: { forgehall: 'src/main.ts' },
  noExternal: [/.*/],
  outExtension: () => ({ js: '.cjs' }),
  banner: { js: nodeCheck(engines.node) },
  shims: true,
  minifySyntax: true,
  minifyWhitespace: true,
  esbuildOptions: (options) => {
    options.lineLimit = 2000 // node prints the line of an uncaught error
    // Node 14 parses the whole file before it runs the check of its version.
    const newer = ['logical-assignment', 'class-static-blocks', 'class-private-brand-check']
    options.supported = Object.fromEntries(newer.map((syntax) => [syntax, false]))
  },
}

/** The tests: one file each over shared chunks, run by test/support/run.ts. */
export const tests: Options = {
  ...common,
  entry: ['test/**/*.ts', '!test/{bench,faults,operating,upgrade}/**'],
  // They look for files beside themselves, or would only make each build longer.
  external: [/^(?:typescript|@seriousme|@ts-morph)\//],
  noExternal: [/^(?!typescript\/|@seriousme\/|@ts-morph\/)/],
  esbuildPlugins: [formerCompiler, ...(common.esbuildPlugins ?? [])],
  format: 'esm',
  outDir: '.build',
  sourcemap: true,
  // Packages in CommonJS (yaml) call require, which an ES module lacks.
  banner: { js: "import{createRequire as _r}from'node:module';const require=_r(import.meta.url);" },
  esbuildOptions: (options) => {
    options.sourcesContent = false // stacks need only places, and each file reads the maps of all its chunks
  },
}

/** The bench: the runner and each process it starts. Its peers stay in node_modules. */
const bench: Options = {
  ...tests,
  entry: ['test/bench/**/*.ts'],
  noExternal: [/^(?!fastify$|pg$|typescript\/)/],
  outDir: '.build/bench',
}

/** A script of a folder of its own, which starts the built server. */
const script = (folder: string): Options => ({
  ...tests,
  entry: [`test/${folder}/**/*.ts`],
  outDir: `.build/${folder}`,
})

/** The scripts that break the server, exchange it by the one before, and do what the documentation says. */
const [faults, upgrade, operating] = ['faults', 'upgrade', 'operating'].map(script)

export default defineConfig({ tests, bench, faults, upgrade, operating }[process.env.BUILD ?? ''] ?? server)
