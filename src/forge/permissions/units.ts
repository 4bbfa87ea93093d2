import { done, failed, type Outcome } from '../../common/outcome.ts'
import { validationMessage } from '../protocol/rules.ts'

/** Permissions on a repository or a unit of it, from the lowest to the highest. */
export const PERMISSIONS = ['none', 'read', 'write', 'admin', 'owner'] as const
export type Permission = (typeof PERMISSIONS)[number]

/** The units of a repository that can be assigned to teams, in the order in which they are listed. */
export const UNITS = [
  'repo.actions',
  'repo.code',
  'repo.ext_issues',
  'repo.ext_wiki',
  'repo.issues',
  'repo.packages',
  'repo.projects',
  'repo.pulls',
  'repo.releases',
  'repo.wiki',
] as const
export type Unit = (typeof UNITS)[number]

/**
 * A part of a repository in access rules: a unit; the commit statuses, which belong to the code unit; or the tracker: one
 * issue, whose unit depends on whether it is a pull request, or what issues and pull requests share, such as labels.
 */
export type Part = Unit | 'commit.statuses' | 'tracker'

/** The units of the tracker. */
export type TrackerUnit = 'repo.issues' | 'repo.pulls'

/** The unit that grants access to a part other than the tracker. */
export const unitOf = (part: Exclude<Part, 'tracker'>): Unit =>
  part === 'commit.statuses' ? 'repo.code' : part

/** The permission of a team per unit; a missing unit is not granted. */
export type UnitsMap = Partial<Record<Unit, Permission>>

/** The stored permissions of a team. */
export interface Rights {
  permission: Permission
  units: UnitsMap
}

/** The permissions in a request; undefined means absent. If both lists are given, `units_map` counts. */
export interface PermissionInput {
  permission?: string | undefined
  units?: readonly string[] | undefined
  units_map?: Readonly<Record<string, string>> | undefined
}

/** External trackers and wikis are links: there is nothing to write. */
const EXTERNAL_UNITS: ReadonlySet<string> = new Set(['repo.ext_issues', 'repo.ext_wiki'])

export const OWNER_RIGHTS: Rights = { permission: 'owner', units: unitsAt('owner', UNITS) }

/**
 * The rights of a team after a request. A team with `admin` has every unit. Otherwise `units_map` sets the permission
 * per unit, and the lowest becomes the team's permission; `units` gives all listed units the team's permission. A new
 * permission without either applies to all units that the team had. The fault is a message for the caller (422).
 */
export function rightsAfter(
  { permission: current, units: parts }: Rights,
  input: PermissionInput,
): Outcome<Rights, string> {
  const map = Object.entries(input.units_map ?? {})
  const list = input.units ?? []
  const fault =
    faultIn('UnitsMap', map) ??
    faultIn(
      'Units',
      list.map((unit) => [unit, 'read']),
    )
  if (fault !== undefined) return failed(fault)
  const permission = isPermission(input.permission) ? input.permission : current
  if (permission === 'admin') return done({ permission, units: unitsAt('admin', UNITS) })
  if (map.length > 0) return done(rightsOf(map))
  if (list.length > 0) return done({ permission, units: unitsAt(permission, list) })
  return done({ permission, units: input.permission ? unitsAt(permission, Object.keys(parts)) : parts })
}

/** The granted units, in order. */
export function grantedUnits(units: UnitsMap): Unit[] {
  return UNITS.filter((unit) => (units[unit] ?? 'none') !== 'none')
}

/** The map in the order of its units. */
export function orderedUnits(units: UnitsMap): Record<string, Permission> {
  return Object.fromEntries(UNITS.flatMap((unit) => (units[unit] ? [[unit, units[unit]]] : [])))
}

function rightsOf(map: readonly (readonly [string, string])[]): Rights {
  const units: UnitsMap = {}
  for (const [unit, level] of map) {
    // "owner" occurs in published examples; only the owners team ranks above an administrator of all units.
    if (isUnit(unit) && isPermission(level)) units[unit] = capped(unit, level === 'owner' ? 'admin' : level)
  }
  return { permission: leastOf(Object.values(units)), units }
}

/** The lowest permission above `none`. */
function leastOf(levels: readonly Permission[]): Permission {
  return PERMISSIONS.slice(1).find((level) => levels.includes(level)) ?? 'none'
}

function unitsAt(level: Permission, units: readonly string[]): UnitsMap {
  return Object.fromEntries(units.filter(isUnit).map((unit) => [unit, capped(unit, level)]))
}

function capped(unit: Unit, level: Permission): Permission {
  return EXTERNAL_UNITS.has(unit) && level !== 'none' ? 'read' : level
}

function faultIn(property: string, units: readonly (readonly [string, string])[]): string | undefined {
  const isKnown = units.every(([unit, level]) => isUnit(unit) && isPermission(level))
  return isKnown ? undefined : validationMessage(property, 'In')
}

function isPermission(text: string | undefined): text is Permission {
  return PERMISSIONS.some((each) => each === text)
}

function isUnit(text: string): text is Unit {
  return UNITS.some((each) => each === text)
}
