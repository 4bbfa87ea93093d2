import type { Tx } from '../../db/sql.ts'
import { unprocessable } from '../../http/route/problem.ts'
import { lockLabels, type StoredLabel } from './label-store.ts'

/** Maximum number of labels of an issue, the same as for assignees. */
const MAX_LABELS = 100

/**
 * Resolves the labels that a request names by id or name, adds them to the current ones and returns the ids. An
 * exclusive label replaces earlier labels of its scope. The labels are locked until the transaction ends.
 * @throws Problem 422 an unknown label, or too many
 */
export async function resolveLabels(
  tx: Tx,
  repository: number,
  requested: readonly (number | string)[],
  current: readonly StoredLabel[] = [],
): Promise<number[]> {
  if (requested.length === 0) return current.map(({ id }) => id)
  // Of duplicates only the last one counts, because an exclusive label replaces those before it.
  const distinct = [...new Set(requested.toReversed())].toReversed()
  if (distinct.length > MAX_LABELS) throw tooMany()
  const labels = await lockLabels(tx, repository, distinct)
  const named = distinct.map((each) => {
    const label = labels.find(({ id, name }) => id === each || name === each)
    if (label) return label
    throw unprocessable(`label does not exist [${typeof each === 'number' ? 'id' : 'name'}: ${each}]`)
  })
  const ids = named.reduce(withLabel, current).map(({ id }) => id)
  if (ids.length > MAX_LABELS) throw tooMany()
  return ids
}

const tooMany = () => unprocessable(`an issue has at most ${MAX_LABELS} labels`)

/** Adds a label; an exclusive one replaces the other exclusive labels of its scope. */
function withLabel(labels: readonly StoredLabel[], added: StoredLabel): StoredLabel[] {
  const scope = scopeOf(added)
  const others = labels.filter(
    (label) => label.id !== added.id && (scope === undefined || scopeOf(label) !== scope),
  )
  return [...others, added]
}

/** The part of an exclusive label's name before the last slash; undefined for other labels. */
function scopeOf({ name, exclusive }: StoredLabel): string | undefined {
  const slash = name.lastIndexOf('/')
  return exclusive && slash > 0 ? name.slice(0, slash) : undefined
}
