import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const folder = 'node_modules/.cache/forgehall'

/** The file that an earlier build has cached under this name, which identifies its inputs; otherwise makes it. */
export async function cached(name: string, make: () => Promise<Buffer>): Promise<Buffer> {
  const path = join(folder, name)
  const existing = await readFile(path).catch(() => undefined)
  if (existing) return existing
  const made = await make()
  await mkdir(folder, { recursive: true })
  await writeFile(`${path}.${process.pid}`, made)
  await rename(`${path}.${process.pid}`, path)
  return made
}
