import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import { blobOf } from './blob.ts'
import type { Plugin } from './folder.ts'

const cache = 'node_modules/.cache/forgehall'
const folder = 'node_modules/swagger-ui-dist'
const names = ['swagger-ui-bundle.js', 'swagger-ui.css']

/** A file of the package `swagger-ui-dist`, compressed with brotli. */
export interface ReaderFile {
  readonly name: string
  /** Identifies the bytes. */
  readonly version: string
  brotli(): Buffer
}

/** Makes `import files from 'swagger-ui:'` the script and style of the reader as {@link ReaderFile}s. */
export const swaggerUi: Plugin = {
  name: 'swagger-ui',
  setup(build) {
    build.onResolve({ filter: /^swagger-ui:$/ }, ({ path }) => ({ path, namespace: 'swagger-ui' }))
    build.onLoad({ filter: /.*/, namespace: 'swagger-ui' }, async () => {
      const files = await Promise.all(names.map(moduleOf))
      return { contents: `export default [${files.join(',')}]` }
    })
  },
}

async function moduleOf(name: string): Promise<string> {
  const bytes = await readFile(join(folder, name))
  const version = createHash('sha1').update(bytes).digest('base64url')
  return `{ name: '${name}', version: '${version}', brotli: ${blobOf(await compressed(name, version, bytes))} }`
}

/** From the cache if it has been compressed before: the best quality takes four seconds. */
async function compressed(name: string, version: string, bytes: Buffer): Promise<Buffer> {
  const path = join(cache, `${name}-${version}.br`)
  const known = await readFile(path).catch(() => undefined)
  if (known) return known
  const made = await promisify(brotliCompress)(bytes)
  await mkdir(cache, { recursive: true })
  await writeFile(`${path}.${process.pid}`, made)
  await rename(`${path}.${process.pid}`, path)
  return made
}
