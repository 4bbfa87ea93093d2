import { compileGlob, type Matcher } from '../../common/glob.ts'
import type { PullFilters, PushFilters, RunFilters } from './on.ts'

/** The members of a push that its filters match. */
interface PushedRef {
  /** In full: `refs/heads/main`. */
  readonly ref: string
  /** Changed paths; read only if a filter needs them. */
  readonly changed: readonly string[]
}

/** Whether a push matches the filters of `on: push`. A malformed pattern matches nothing. */
export function passesPush(filters: PushFilters, pushed: PushedRef): boolean {
  if (filters.unknown.length > 0) return false
  const isTag = pushed.ref.startsWith(tagsPrefix)
  return passesRef(filters, pushed.ref) && (isTag || passesPaths(filters, pushed.changed))
}

/** Whether a pull request for the branch `base`, which changes these paths, matches the filters of `on: pull_request`. */
export function passesPull(
  filters: PullFilters,
  { base, changed }: { readonly base: string; readonly changed: readonly string[] },
): boolean {
  if (filters.unknown.length > 0) return false
  return passesLists(filters.branches, filters.branchesIgnore, base) && passesPaths(filters, changed)
}

/** Whether a run of the workflow `workflow` on the branch `branch` (empty: none) matches the filters of `on: workflow_run`. */
export function passesRun(
  { workflows, branches, branchesIgnore, unknown }: RunFilters,
  { workflow, branch }: { readonly workflow: string; readonly branch: string },
): boolean {
  if (unknown.length > 0) return false
  const isNamed = workflows?.some((pattern) => compileGlob(pattern)?.(workflow) ?? false) ?? true
  return isNamed && passesLists(branches, branchesIgnore, branch)
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
  included: readonly string[] | undefined,
  ignored: readonly string[] | undefined,
  name: string,
): boolean {
  if (included !== undefined && !isIncluded(included, [name])) return false
  return ignored === undefined || isNotIgnored(ignored, [name])
}

function passesPaths({ paths, pathsIgnore }: PullFilters, changed: readonly string[]): boolean {
  if (paths !== undefined && !isIncluded(paths, changed)) return false
  return pathsIgnore === undefined || isNotIgnored(pathsIgnore, changed)
}

/** Whether any of the names is included. Patterns apply in order, `!` excludes its matches, the last match decides. */
function isIncluded(patterns: readonly string[], names: readonly string[]): boolean {
  const rules = compileAll(patterns)
  return rules !== undefined && names.some((name) => includesName(rules, name))
}

function includesName(rules: readonly Rule[], name: string): boolean {
  let included = false
  for (const { negated, matches } of rules) if (included === negated && matches(name)) included = !negated
  return included
}

/** Whether any of the names is matched by no pattern; `!a` matches everything but `a`. */
function isNotIgnored(patterns: readonly string[], names: readonly string[]): boolean {
  const rules = compileAll(patterns)
  if (!rules) return false
  return names.some((name) => rules.every(({ negated, matches }) => matches(name) === negated))
}

interface Rule {
  readonly negated: boolean
  readonly matches: Matcher
}

/** Maximum length of a pattern: the time of a match grows with it times the length of the name. */
const maxLength = 1000

/** Undefined if one of them is malformed or too long. */
function compileAll(patterns: readonly string[]): Rule[] | undefined {
  const rules: Rule[] = []
  for (const pattern of patterns) {
    const negated = pattern.startsWith('!')
    const matches = compileGlob(negated ? pattern.slice(1) : pattern, 'paths')
    if (!matches || pattern.length > maxLength) return undefined
    rules.push({ negated, matches })
  }
  return rules
}
