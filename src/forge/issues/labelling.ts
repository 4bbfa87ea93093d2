import type { Tx } from '../../db/sql.ts'
import { unprocessable } from '../../http/route/problem.ts'
import { keepLabels, type StoredLabel } from './label-store.ts'

/** Labels of an issue at most, as with assignees. */
const MOST_LABELS = 100

/**
 * The ids of labels of a repository that a request names by id or name; a label that excludes others takes the place of
 * those named before it.
 * @throws Problem 422 one that is not there, or too many
 */
export async function keepWanted(
  tx: Tx,
  repository: number,
  wanted: readonly (number | string)[],
  had: readonly StoredLabel[] = [],
): Promise<number[]> {
  if (wanted.length === 0) return had.map(({ id }) => id)
  // Of what is named more than once the last counts: it comes after, and may exclude, what stands before it.
  const distinct = [...new Set(wanted.toReversed())].toReversed()
  if (distinct.length > MOST_LABELS) throw tooMany()
  const labels = await keepLabels(tx, repository, distinct)
  const named = distinct.map((each) => {
    const label = labels.find(({ id, name }) => id === each || name === each)
    if (label) return label
    throw unprocessable(`label does not exist [${typeof each === 'number' ? 'id' : 'name'}: ${each}]`)
  })
  const ids = named.reduce(withLabel, had).map(({ id }) => id)
  if (ids.length > MOST_LABELS) throw tooMany()
  return ids
}

const tooMany = () => unprocessable(`an issue has at most ${MOST_LABELS} labels`)

/** One label more; an exclusive one takes the place of the other exclusive ones of its scope. */
function withLabel(labels: readonly StoredLabel[], added: StoredLabel): StoredLabel[] {
  const scope = scopeOf(added)
  const others = labels.filter(
    (label) => label.id !== added.id && (scope === undefined || scopeOf(label) !== scope),
  )
  return [...others, added]
}

/** The part of an exclusive label's name before the last slash; undefined for labels that exclude nothing. */
function scopeOf({ name, exclusive }: StoredLabel): string | undefined {
  const slash = name.lastIndexOf('/')
  return exclusive && slash > 0 ? name.slice(0, slash) : undefined
}
