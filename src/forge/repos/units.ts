import { accept, type Outcome, refuse } from '../protocol/outcome.ts'
import { sayBroken } from '../protocol/rules.ts'

/** What somebody may do with a repository, or a part of it, from nothing to everything. */
export const PERMISSIONS = ['none', 'read', 'write', 'admin', 'owner'] as const
export type Permission = (typeof PERMISSIONS)[number]

/** The parts of a repository that teams are given, in the order in which they are listed. */
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

/** A part as permission knows it: one that teams are given, or what is said of commits, which goes with the code. */
export type Part = Unit | 'commit.statuses'

/** What a team has to be given for a part. */
export const unitOf = (part: Part): Unit => (part === 'commit.statuses' ? 'repo.code' : part)

/** What a team may do with each part; a part that is missing is not given. */
export type UnitsMap = Partial<Record<Unit, Permission>>

/** What a team may do, as it is stored. */
export interface Rights {
  permission: Permission
  units: UnitsMap
}

/** What a request says of it; undefined was not said. Of both ways to name parts the map counts. */
export interface PermissionInput {
  permission?: string | undefined
  units?: readonly string[] | undefined
  units_map?: Readonly<Record<string, string>> | undefined
}

/** Trackers and wikis elsewhere are links: there is nothing to write. */
const ELSEWHERE: ReadonlySet<string> = new Set(['repo.ext_issues', 'repo.ext_wiki'])

export const OWNER_RIGHTS: Rights = { permission: 'owner', units: unitsAt('owner', UNITS) }

/**
 * What a team may do after a request, given what it could do before. A team that administers has every part. For
 * others a map of parts gives each its own permission, and the least of them is the team's; a list of parts gives all of
 * them the team's. A new permission without either is that of all parts the team had.
 * The fault is the caller's sentence (422).
 */
export function rightsAfter(
  { permission: had, units: parts }: Rights,
  wish: PermissionInput,
): Outcome<Rights, string> {
  const map = Object.entries(wish.units_map ?? {})
  const list = wish.units ?? []
  const fault =
    faultIn('UnitsMap', map) ??
    faultIn(
      'Units',
      list.map((unit) => [unit, 'read']),
    )
  if (fault !== undefined) return refuse(fault)
  const permission = isPermission(wish.permission) ? wish.permission : had
  if (permission === 'admin') return accept({ permission, units: unitsAt('admin', UNITS) })
  if (map.length > 0) return accept(rightsOf(map))
  if (list.length > 0) return accept({ permission, units: unitsAt(permission, list) })
  return accept({ permission, units: wish.permission ? unitsAt(permission, Object.keys(parts)) : parts })
}

/** The parts that a team is given, in order. */
export function givenUnits(units: UnitsMap): Unit[] {
  return UNITS.filter((unit) => (units[unit] ?? 'none') !== 'none')
}

/** The map in the order of its parts. */
export function orderedUnits(units: UnitsMap): Record<string, Permission> {
  return Object.fromEntries(UNITS.flatMap((unit) => (units[unit] ? [[unit, units[unit]]] : [])))
}

function rightsOf(map: readonly (readonly [string, string])[]): Rights {
  const units: UnitsMap = {}
  for (const [unit, level] of map) {
    // "owner" stands in published examples; only the team of owners is more than an administrator of all parts.
    if (isUnit(unit) && isPermission(level)) units[unit] = capped(unit, level === 'owner' ? 'admin' : level)
  }
  return { permission: leastOf(Object.values(units)), units }
}

/** The least permission that is one at all. */
function leastOf(levels: readonly Permission[]): Permission {
  return PERMISSIONS.slice(1).find((level) => levels.includes(level)) ?? 'none'
}

function unitsAt(level: Permission, units: readonly string[]): UnitsMap {
  return Object.fromEntries(units.filter(isUnit).map((unit) => [unit, capped(unit, level)]))
}

function capped(unit: Unit, level: Permission): Permission {
  return ELSEWHERE.has(unit) && level !== 'none' ? 'read' : level
}

function faultIn(property: string, units: readonly (readonly [string, string])[]): string | undefined {
  const isKnown = units.every(([unit, level]) => isUnit(unit) && isPermission(level))
  return isKnown ? undefined : sayBroken(property, 'In')
}

function isPermission(text: string | undefined): text is Permission {
  return PERMISSIONS.some((each) => each === text)
}

function isUnit(text: string): text is Unit {
  return UNITS.some((each) => each === text)
}
