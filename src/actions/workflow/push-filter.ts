import { attempt } from './fault.ts'
import type { PushFilters } from './on.ts'
import { compilePattern, type Matches } from './pattern.ts'

/** What a push brought, as its filters see it. */
interface PushedRef {
  /** In full: `refs/heads/main`. */
  readonly ref: string
  /** Paths that differ; asked for only when a filter needs them. */
  readonly changed: readonly string[]
}

/** Whether the filters of `on: push` let a push through. A pattern that is malformed fulfils nothing. */
export function passesPush(filters: PushFilters, pushed: PushedRef): boolean {
  if (filters.unknown.length > 0) return false
  return passesRef(filters, pushed.ref) && passesPaths(filters, pushed)
}

const headsPrefix = 'refs/heads/'
const tagsPrefix = 'refs/tags/'

function passesRef(filters: PushFilters, ref: string): boolean {
  const { branches, branchesIgnore, tags, tagsIgnore } = filters
  const forBranches = branches !== undefined || branchesIgnore !== undefined
  const forTags = tags !== undefined || tagsIgnore !== undefined
  if (!forBranches && !forTags) return true
  if (ref.startsWith(headsPrefix))
    return forBranches && passesLists(branches, branchesIgnore, ref.slice(headsPrefix.length))
  if (ref.startsWith(tagsPrefix))
    return forTags && passesLists(tags, tagsIgnore, ref.slice(tagsPrefix.length))
  return false
}

function passesLists(
  kept: readonly string[] | undefined,
  ignored: readonly string[] | undefined,
  name: string,
): boolean {
  if (kept !== undefined && !survives(kept, [name])) return false
  return ignored === undefined || escapes(ignored, [name])
}

function passesPaths({ paths, pathsIgnore }: PushFilters, { ref, changed }: PushedRef): boolean {
  if (ref.startsWith(tagsPrefix)) return true
  if (paths !== undefined && !survives(paths, changed)) return false
  return pathsIgnore === undefined || escapes(pathsIgnore, changed)
}

/** Whether one of the names is kept: patterns are walked in order, `!` drops what it matches, the last word counts. */
function survives(patterns: readonly string[], names: readonly string[]): boolean {
  const rules = compileAll(patterns)
  return rules !== undefined && names.some((name) => keeps(rules, name))
}

function keeps(rules: readonly Rule[], name: string): boolean {
  let kept = false
  for (const { negated, matches } of rules) if (kept === negated && matches(name)) kept = !negated
  return kept
}

/** Whether one of the names is matched by no pattern; `!a` matches everything but `a`. */
function escapes(patterns: readonly string[], names: readonly string[]): boolean {
  const rules = compileAll(patterns)
  if (!rules) return false
  return names.some((name) => rules.every(({ negated, matches }) => matches(name) === negated))
}

interface Rule {
  readonly negated: boolean
  readonly matches: Matches
}

function compileAll(patterns: readonly string[]): Rule[] | undefined {
  const compiled = attempt(() =>
    patterns.map((pattern) => {
      const negated = pattern.startsWith('!')
      return { negated, matches: compilePattern(negated ? pattern.slice(1) : pattern) }
    }),
  )
  return 'value' in compiled ? compiled.value : undefined
}
