import { fail, quote } from './fault.ts'
import { type InputSpec, readInputs } from './inputs.ts'
import { type Dict, dict, field, isEmpty, type Node, text, texts } from './tree.ts'

/** Events that this server supports. `workflow_call` starts nothing by itself, but a file may list it. */
const supported = [
  'push',
  'create',
  'delete',
  'release',
  'issues',
  'issue_comment',
  'pull_request',
  'pull_request_target',
  'pull_request_review',
  'pull_request_review_comment',
  'pull_request_comment',
  'workflow_run',
  'workflow_dispatch',
  'schedule',
  'workflow_call',
] as const

/** The filters by branches and files of `on: push` and `pull_request`, each a list of patterns; undefined if absent. */
interface RefFilters {
  branches?: readonly string[]
  branchesIgnore?: readonly string[]
  paths?: readonly string[]
  pathsIgnore?: readonly string[]
  /** Unknown filter keys: no event matches such a filter. */
  unknown: readonly string[]
}

/** The filters of `on: push`. */
export interface PushFilters extends RefFilters {
  tags?: readonly string[]
  tagsIgnore?: readonly string[]
}

/** The filters of `on: pull_request` and `pull_request_target`; the branch is the base branch. */
export interface PullFilters extends RefFilters {
  /** Patterns of actions; undefined if absent. */
  types?: readonly string[]
}

/** The filters of `on: workflow_run`, each a list of patterns; undefined if absent. The branch is that of the other run. */
export interface RunFilters {
  /** Patterns of names of workflows. */
  workflows?: readonly string[]
  types?: readonly string[]
  branches?: readonly string[]
  branchesIgnore?: readonly string[]
  /** Unknown filter keys: no event matches such a filter. */
  unknown: readonly string[]
}

/** Events whose workflows filter by action alone, with `types`. */
export const typedEvents = [
  'release',
  'issues',
  'issue_comment',
  'pull_request_review',
  'pull_request_review_comment',
  'pull_request_comment',
] as const
export type TypedEvent = (typeof typedEvents)[number]

/** Events of pull requests whose workflows filter by action, base branch and files. */
const pullEvents = ['pull_request', 'pull_request_target'] as const
export type PullEvent = (typeof pullEvents)[number]

/** The filters of the events that filter by action alone. */
interface TypeFilters {
  /** Patterns of actions; undefined if absent. */
  types?: readonly string[]
  /** Unknown filter keys: nothing matches such a filter. */
  unknown: readonly string[]
}

/** The triggers of a workflow. */
export interface Triggers
  extends Partial<Record<TypedEvent, TypeFilters>>,
    Partial<Record<PullEvent, PullFilters>> {
  push?: PushFilters
  workflow_run?: RunFilters
  create: boolean
  delete: boolean
  /** The inputs of `workflow_dispatch`; undefined without that trigger. */
  dispatch?: readonly InputSpec[]
  /** Whether jobs of other workflows may use it. */
  isCallable: boolean
  /** Cron lines, as written. */
  schedule: readonly string[]
  /** Names of events that start nothing here. */
  ignored: readonly string[]
}

/** The members of filters by their keys in workflow files. */
const refKeys = {
  branches: 'branches',
  'branches-ignore': 'branchesIgnore',
  paths: 'paths',
  'paths-ignore': 'pathsIgnore',
} as const
const pushKeys = { ...refKeys, tags: 'tags', 'tags-ignore': 'tagsIgnore' } as const
const pullKeys = { ...refKeys, types: 'types' } as const
const typeKeys = { types: 'types' } as const
const runKeys = {
  workflows: 'workflows',
  types: 'types',
  branches: 'branches',
  'branches-ignore': 'branchesIgnore',
} as const

/** Reads `on:`, which is an event, a list of events, or a mapping of events. @throws WorkflowFault */
export function readTriggers(node: Node | undefined): Triggers {
  if (isEmpty(node)) return fail('"on" is missing: nothing starts this workflow')
  const events = eventsOf(node)
  const push = events.get('push')
  const run = events.get('workflow_run')
  const dispatch = events.get('workflow_dispatch')
  const filtersOf = <Name extends string, Member extends string>(
    names: readonly Name[],
    keys: Readonly<Record<string, Member>>,
  ) =>
    names.flatMap((name) => {
      const event = events.get(name)
      return event ? [[name, readFilters(event, name, keys)] as const] : []
    })
  return {
    ...(push && { push: readFilters(push, 'push', pushKeys) }),
    ...(run && { workflow_run: readFilters(run, 'workflow_run', runKeys) }),
    create: events.has('create'),
    delete: events.has('delete'),
    ...Object.fromEntries(filtersOf(typedEvents, typeKeys)),
    ...Object.fromEntries(filtersOf(pullEvents, pullKeys)),
    ...(dispatch && { dispatch: readInputs(dispatch) }),
    isCallable: events.has('workflow_call'),
    schedule: readSchedule(events.get('schedule')),
    ignored: [...events.keys()].filter((name) => !supported.some((each) => each === name)),
  }
}

const noValue: Node = { kind: 'scalar', value: null, text: '', plain: true, size: 1 }

function eventsOf(node: Node): ReadonlyMap<string, Node> {
  if (node.kind === 'dict') return node.entries
  return new Map(texts(node, '"on"').map((name) => [name, noValue]))
}

/** Reads the filters of an event. `keys`: the members by their keys in workflow files. */
function readFilters<Member extends string>(
  node: Node,
  event: string,
  keys: Readonly<Record<string, Member>>,
): Partial<Record<Member, readonly string[]>> & { unknown: readonly string[] } {
  const filters: Partial<Record<Member, readonly string[]>> = {}
  const unknown: string[] = []
  for (const [key, value] of node.kind === 'dict' ? node.entries : []) {
    const member = Object.hasOwn(keys, key) ? keys[key] : undefined
    if (member === undefined) unknown.push(key)
    else filters[member] = texts(value, `"on.${event}.${key}"`)
  }
  return { ...filters, unknown }
}

/** Maximum lines of a schedule: each may start a run every minute. */
const maxLines = 20

function readSchedule(node: Node | undefined): string[] {
  if (isEmpty(node)) return []
  const entries: readonly Node[] = node.kind === 'list' ? node.items : [node]
  if (entries.length > maxLines) fail(`"on.schedule" has more than ${maxLines} entries`)
  return entries.map((entry) => cronOf(dict(entry, 'each entry of "on.schedule"')))
}

function cronOf(entry: Dict): string {
  const cron = field(entry, 'cron')
  if (!cron) return fail(`an entry of "on.schedule" has no "cron"`)
  const line = text(cron, '"cron"').trim()
  return line.length <= 200 ? line : fail(`the cron line ${quote(line)} is too long`)
}
