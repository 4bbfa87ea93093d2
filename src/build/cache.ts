import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const folder = 'node_modules/.cache/forgehall'

/** What an earlier build has made under this name, which says all that it is made of; otherwise it is made now. */
export async function cached(name: string, make: () => Promise<Buffer>): Promise<Buffer> {
  const path = join(folder, name)
  const known = await readFile(path).catch(() => undefined)
  if (known) return known
  const made = await make()
  await mkdir(folder, { recursive: true })
  await writeFile(`${path}.${process.pid}`, made)
  await rename(`${path}.${process.pid}`, path)
  return made
}
