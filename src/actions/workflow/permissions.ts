import { fail, quote } from './fault.ts'
import { isEmpty, type Node, text } from './tree.ts'

/** Access of a job's token to one unit. */
type Permission = 'none' | 'read' | 'write'

/** The units that `permissions:` can name. */
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

/** One permission per unit. */
export type Permissions = Readonly<Record<PermissionName, Permission>>

const levels = ['none', 'read', 'write'] as const

/** The same permission for every unit. */
export const allPermissions = (level: Permission): Permissions => permissionsFrom(() => level)

function permissionsFrom(of: (name: PermissionName) => Permission): Permissions {
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

/** What is asked for, without what goes beyond `bound`; without `asked`, all of it. */
export const restrictTo = (bound: Permissions, asked: Permissions = bound): Permissions =>
  permissionsFrom((name) => (levels.indexOf(asked[name]) < levels.indexOf(bound[name]) ? asked : bound)[name])

/**
 * Reads `permissions:`. A mapping grants nothing to units that it does not name; unknown units are ignored. As in Gitea,
 * `contents` is code and releases, unless the file names `code` or `releases` as well. Undefined without a value.
 * @throws WorkflowFault
 */
export function readPermissions(node: Node | undefined): Permissions | undefined {
  if (isEmpty(node)) return undefined
  if (node.kind === 'scalar') {
    if (node.text === 'read-all') return allPermissions('read')
    if (node.text === 'write-all') return allPermissions('write')
    return fail(`"permissions" is ${quote(node.text)}, which is neither "read-all" nor "write-all"`)
  }
  if (node.kind === 'list') return fail('"permissions" must be a mapping')
  const granted = new Map([...node.entries].map(([name, level]) => [name, readLevel(name, level)]))
  const contents = granted.get('contents')
  if (contents !== undefined && !granted.has('releases')) granted.set('releases', contents)
  const code = granted.get('code')
  if (code !== undefined) granted.set('contents', code)
  return permissionsFrom((name) => granted.get(name) ?? 'none')
}

function readLevel(name: string, node: Node): Permission {
  const written = isEmpty(node) ? 'none' : text(node, `permission ${quote(name)}`)
  const level = levels.find((each) => each === written)
  return (
    level ?? fail(`permission ${quote(name)} is ${quote(written)}, which is not "none", "read" or "write"`)
  )
}
