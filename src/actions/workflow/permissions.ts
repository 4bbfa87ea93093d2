import { quote, refuse } from './fault.ts'
import { isNothing, type Node, text } from './tree.ts'

/** What a job's token may do with one kind of thing. */
export type Permission = 'none' | 'read' | 'write'

/** Kinds of things that a token can be given, as `permissions:` names them. */
const permissionNames = [
  'actions',
  'contents',
  'issues',
  'packages',
  'pull-requests',
  'releases',
  'statuses',
  'wiki',
] as const
type PermissionName = (typeof permissionNames)[number]

/** One permission for each kind of thing. */
export type Permissions = Readonly<Record<PermissionName, Permission>>

const levels = ['none', 'read', 'write'] as const

/** The same for every kind. */
export const allPermissions = (level: Permission): Permissions => permissionsBy(() => level)

function permissionsBy(of: (name: PermissionName) => Permission): Permissions {
  const [actions, contents, issues, packages] = [of('actions'), of('contents'), of('issues'), of('packages')]
  return {
    actions,
    contents,
    issues,
    packages,
    'pull-requests': of('pull-requests'),
    releases: of('releases'),
    statuses: of('statuses'),
    wiki: of('wiki'),
  }
}

/**
 * Reads `permissions:`. A mapping gives nothing that it does not name; kinds that we do not have are passed over. The
 * original knows `code` beside `contents`, and counts it when both are said. Undefined when nothing is said.
 * @throws WorkflowFault
 */
export function readPermissions(node: Node | undefined): Permissions | undefined {
  if (isNothing(node)) return undefined
  if (node.kind === 'scalar') {
    if (node.text === 'read-all') return allPermissions('read')
    if (node.text === 'write-all') return allPermissions('write')
    return refuse(`"permissions" is ${quote(node.text)}, which is neither "read-all" nor "write-all"`)
  }
  if (node.kind === 'list') return refuse('"permissions" must be a mapping')
  const given = new Map([...node.entries].map(([name, level]) => [name, readLevel(name, level)]))
  return permissionsBy(
    (name) => given.get(name === 'contents' && given.has('code') ? 'code' : name) ?? 'none',
  )
}

function readLevel(name: string, node: Node): Permission {
  const word = isNothing(node) ? 'none' : text(node, `permission ${quote(name)}`)
  const level = levels.find((each) => each === word)
  return level ?? refuse(`permission ${quote(name)} is ${quote(word)}, which is none of none, read and write`)
}
