import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A file of this project: path from its root with forward slashes, and text. */
export interface Source {
  path: string
  text: string
}

/** All TypeScript files below a folder of the project, for tests about the code itself. */
export function sourcesOf(folder: 'src' | 'test'): Source[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join(folder, path).replaceAll('\\', '/'))
    .sort()
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }))
}
