import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Whether a bundled file, or one that it imports, has a word in it. */
export function reaches(path: string, word: string): boolean {
  const seen = new Set([path])
  for (const file of seen) {
    const text = readFileSync(file, 'utf8')
    if (text.includes(word)) return true
    for (const [, imported = ''] of text.matchAll(/(?:from|import)\s*["'](\.[^"']+\.js)["']/g)) {
      seen.add(join(dirname(file), imported))
    }
  }
  return false
}
