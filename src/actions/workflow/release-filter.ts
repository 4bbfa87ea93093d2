import { compileGlob } from '../../glob.ts'
import type { ReleaseFilters } from './on.ts'

/** What happens to a release, under the names that `types` has for it. */
const names: Readonly<Record<string, readonly string[]>> = {
  published: ['published'],
  updated: ['edited', 'updated'],
}

/** Whether something that happened to a release matches the filters of `on: release`; without `types`, everything does. */
export function passesRelease({ types, unknown }: ReleaseFilters, action: string): boolean {
  if (unknown.length > 0) return false
  if (types === undefined) return true
  return types.some((pattern) => (names[action] ?? []).some((name) => compileGlob(pattern)?.(name) ?? false))
}
