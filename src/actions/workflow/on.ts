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
  'workflow_dispatch',
  'schedule',
  'workflow_call',
] as const

/** The filters of `on: push`, each a list of patterns; undefined if absent. */
export interface PushFilters {
  branches?: readonly string[]
  branchesIgnore?: readonly string[]
  tags?: readonly string[]
  tagsIgnore?: readonly string[]
  paths?: readonly string[]
  pathsIgnore?: readonly string[]
  /** Unknown filter keys: a push never matches such a filter. */
  unknown: readonly string[]
}

/** The filters of `on: release`, `issues` and `issue_comment`. */
export interface TypeFilters {
  /** Patterns of actions; undefined if absent. */
  types?: readonly string[]
  /** Unknown filter keys: nothing matches such a filter. */
  unknown: readonly string[]
}

/** The triggers of a workflow. */
export interface Triggers {
  push?: PushFilters
  create: boolean
  delete: boolean
  release?: TypeFilters
  issues?: TypeFilters
  issue_comment?: TypeFilters
  /** The inputs of `workflow_dispatch`; undefined without that trigger. */
  dispatch?: readonly InputSpec[]
  /** Whether jobs of other workflows may use it. */
  isCallable: boolean
  /** Cron lines, as written. */
  schedule: readonly string[]
  /** Names of events that start nothing here. */
  ignored: readonly string[]
}

const filterKeys = {
  branches: 'branches',
  'branches-ignore': 'branchesIgnore',
  tags: 'tags',
  'tags-ignore': 'tagsIgnore',
  paths: 'paths',
  'paths-ignore': 'pathsIgnore',
} as const

const isFilterKey = (key: string): key is keyof typeof filterKeys => Object.hasOwn(filterKeys, key)

/** Reads `on:`, which is an event, a list of events, or a mapping of events. @throws WorkflowFault */
export function readTriggers(node: Node | undefined): Triggers {
  if (isEmpty(node)) return fail('"on" is missing: nothing starts this workflow')
  const events = eventsOf(node)
  const push = events.get('push')
  const dispatch = events.get('workflow_dispatch')
  const typed = (['release', 'issues', 'issue_comment'] as const).flatMap((name) => {
    const event = events.get(name)
    return event ? [[name, readTypes(event, name)] as const] : []
  })
  return {
    ...(push && { push: readPush(push) }),
    create: events.has('create'),
    delete: events.has('delete'),
    ...Object.fromEntries(typed),
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

function readPush(node: Node): PushFilters {
  const filters: PushFilters = { unknown: [] }
  if (node.kind !== 'dict') return filters
  const unknown: string[] = []
  for (const [key, value] of node.entries) {
    if (isFilterKey(key)) filters[filterKeys[key]] = texts(value, `"on.push.${key}"`)
    else unknown.push(key)
  }
  return { ...filters, unknown }
}

function readTypes(node: Node, event: string): TypeFilters {
  if (node.kind !== 'dict') return { unknown: [] }
  const types = node.entries.get('types')
  const unknown = [...node.entries.keys()].filter((key) => key !== 'types')
  return { ...(types && { types: texts(types, `"on.${event}.types"`) }), unknown }
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
