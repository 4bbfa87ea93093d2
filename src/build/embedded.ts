import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { deflateRaw } from 'node:zlib'
import { history, scriptOf } from '../db/migrate/migrate.ts'
import { makeCluster } from '../embedded-postgres/make-cluster.ts'
import { blobOf } from './blob.ts'
import { cached } from './cache.ts'
import { filesIn, type Plugin } from './folder.ts'

/**
 * Makes `import { … } from 'embedded:postgres'` the embedded PostgreSQL as compressed pieces inside the bundle. Each is
 * a function that gives its bytes (`blob.ts`).
 */
export const embedded: Plugin = {
  name: 'embedded',
  setup(build) {
    build.onResolve({ filter: /^embedded:postgres$/ }, ({ path }) => ({ path, namespace: 'embedded' }))
    build.onLoad({ filter: /.*/, namespace: 'embedded' }, async () => ({
      contents: Object.entries(await pieces())
        .map(([name, bytes]) => `export const ${name} = ${blobOf(bytes)}`)
        .join('\n'),
    }))
  },
}

async function pieces(): Promise<Record<string, Buffer>> {
  const pglite = dirname(createRequire(resolve('package.json')).resolve('@electric-sql/pglite'))
  const version = await readFile(join(pglite, '../package.json'))
  const recipe = await readFile('src/embedded-postgres/make-cluster.ts')
  const schema = await schemaScript()
  const plugin = await readFile('src/build/embedded.ts')
  return {
    wasm: await compressed('wasm', [version, plugin], () => readFile(join(pglite, 'pglite.wasm'))),
    files: await compressed('files', [version, plugin], () => readFile(join(pglite, 'pglite.data'))),
    cluster: await compressed('cluster', [version, plugin, recipe, Buffer.from(schema)], () =>
      makeCluster(schema),
    ),
  }
}

/** All migrations. A build has no plugins yet, so it cannot import `src/db/migrate/migrations.ts`. */
async function schemaScript(): Promise<string> {
  const files = await filesIn('sql/migrations')
  return history + scriptOf(files.map(([name, text]) => ({ name: name.replace(/\.sql$/, ''), text })))
}

/** The compressed piece, from the cache if its inputs are the same. */
function compressed(name: string, inputs: Buffer[], make: () => Promise<Buffer>): Promise<Buffer> {
  const key = createHash('sha256').update(Buffer.concat(inputs)).digest('hex').slice(0, 16)
  return cached(`${name}-${key}.deflate`, async () => compress(await make()))
}

/** Brotli would save an eighth of the size, but each start would wait half as long again for the decompression. */
function compress(bytes: Buffer): Promise<Buffer> {
  return promisify(deflateRaw)(bytes, { level: 9, memLevel: 9 })
}
