import { mkdir } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

/** Hooks of node's module loader that bundle a test file with what it imports, as the build of the tests does. */

/** The options of the tests' build, read from `tsup.config.ts`. */
async function readOptions() {
  await mkdir('.build', { recursive: true })
  const outfile = '.build/tsup.config.mjs'
  await build({
    entryPoints: ['tsup.config.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  })
  const { tests } = await import(pathToFileURL(outfile).href)
  return tests
}

const options = readOptions()

export async function load(url, context, next) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context)
  const { define, esbuildPlugins, target } = await options
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(url)],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    sourcemap: 'inline',
    sourcesContent: false,
    plugins: esbuildPlugins,
    ...{ define, target },
  })
  return { format: 'module', source: outputFiles[0].text, shortCircuit: true }
}
