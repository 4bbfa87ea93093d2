import { compileGlob } from '../../glob.ts'
import type { TypeFilters } from './on.ts'

/** The events whose workflows choose by what happened, in `types`. */
export type TypedEvent = 'release' | 'issues' | 'issue_comment'

/** What happens, as webhooks name it, under the names that `types` has for it; others have the same name there. */
const names: Readonly<Record<TypedEvent, Readonly<Record<string, readonly string[]>>>> = {
  release: { updated: ['edited', 'updated'] },
  issues: { label_updated: ['labeled'], label_cleared: ['unlabeled'] },
  issue_comment: {},
}

/** Whether something that happened matches the filters of an event; without `types`, everything does. */
export function passesTypes({ types, unknown }: TypeFilters, event: TypedEvent, action: string): boolean {
  if (unknown.length > 0) return false
  if (types === undefined) return true
  const named = names[event][action] ?? [action]
  return types.some((pattern) => named.some((name) => compileGlob(pattern)?.(name) ?? false))
}
