import type { SearchPattern } from './search-pattern.ts'

/**
 * What the index of texts is asked for a pattern, in the syntax of `tsquery`: all runs of three characters that lie side by
 * side, since more of them cost more than they leave out. Only without any, what begins with the shorter ones. With a
 * `repository`, only texts in it (`forge.search_vector`, 0002_forge.sql). Undefined for a pattern of wildcards.
 */
export function searchQuery({ pattern }: SearchPattern, repository?: number): string | undefined {
  // No run has the character before the id of a repository.
  const runs = pattern.split(/[%_\x01]/).map((run) => [...run])
  const long = runs.filter(({ length }) => length >= 3).flatMap(threes)
  const parts =
    long.length > 0
      ? long.map(quoted)
      : runs.filter(({ length }) => length > 0).map((run) => `${quoted(run.join(''))}:*`)
  if (parts.length === 0) return undefined
  return (repository === undefined ? parts : [quoted(`\x01${repository}`), ...parts]).join(' & ')
}

/** Every third run of three characters, and the last one. */
const threes = (run: readonly string[]) =>
  Array.from({ length: Math.ceil(run.length / 3) }, (_, index) => {
    const at = Math.min(3 * index, run.length - 3)
    return run.slice(at, at + 3).join('')
  })

const quoted = (part: string) => `'${part.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
