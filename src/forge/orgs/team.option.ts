import type * as v from 'valibot'
import { TEAM_NAME_MAX } from '../accounts/names.ts'
import { isVisibility, visibilityRule } from '../accounts/visibility.ts'
import type { Rights } from '../permissions/units.ts'
import {
  describedField,
  flag,
  option,
  optionalFlag,
  optionalMap,
  optionalText,
  optionalTexts,
  text,
} from '../protocol/fields.ts'
import { alphaDashDot, maxSize, oneOf, required } from '../protocol/rules.ts'
import type { Team, TeamDraft } from './team-store.ts'

/** A team with a map of units reads back as "none", so clients send that too. */
const teamPermission = oneOf(['', 'none', 'read', 'write', 'admin'])

const permissionDescription =
  'What the team may do in the units of `units`; `admin` is everything. It has no effect beside `units_map`'

const units = {
  units: describedField(
    optionalTexts(),
    'Areas of repositories that the team may use, such as `repo.issues`, all with `permission`',
  ),
  units_map: describedField(
    optionalMap(),
    'Permission of each area, such as `{"repo.code": "write"}`; if it is present, `units` has no effect',
  ),
}

/** CreateTeamOption. */
export const CreateTeamOption = option('CreateTeamOption', {
  name: text(required, alphaDashDot, maxSize(TEAM_NAME_MAX)),
  description: text(maxSize(255)),
  includes_all_repositories: flag(),
  permission: describedField(text(teamPermission), permissionDescription),
  ...units,
  can_create_org_repo: flag(),
  visibility: describedField(
    text(visibilityRule),
    'Who sees the team: everybody who sees the organization (`public`), `limited`, or members; empty: `private`',
  ),
})

/** EditTeamOption; absent members and an empty name stay unchanged. */
export const EditTeamOption = option('EditTeamOption', {
  name: optionalText(alphaDashDot, maxSize(TEAM_NAME_MAX)),
  description: optionalText(maxSize(255)),
  includes_all_repositories: optionalFlag(),
  permission: describedField(optionalText(teamPermission), permissionDescription),
  ...units,
  can_create_org_repo: optionalFlag(),
  visibility: describedField(optionalText(visibilityRule), 'Who sees the team; empty: unchanged'),
})
type EditTeamOption = v.InferOutput<typeof EditTeamOption>

/** The columns of a new team with these rights. */
export function teamDraft(body: v.InferOutput<typeof CreateTeamOption>, rights: Rights): TeamDraft {
  return {
    ...rights,
    name: body.name,
    description: body.description,
    visibility: isVisibility(body.visibility) ? body.visibility : 'private',
    includes_all_repositories: body.includes_all_repositories,
    can_create_repositories: body.can_create_org_repo,
  }
}

/** The team after an edit that gives it these rights. */
export function editedTeam(team: Team, body: EditTeamOption, rights: Rights): Team {
  const visibility = body.visibility ?? ''
  const edited = {
    ...team,
    description: body.description ?? team.description,
    visibility: isVisibility(visibility) ? visibility : team.visibility,
  }
  // The owners team keeps its rights; clients send back the other members that they have read.
  if (team.permission === 'owner') return edited
  return {
    ...edited,
    ...rights,
    name: body.name || team.name,
    includes_all_repositories: body.includes_all_repositories ?? team.includes_all_repositories,
    can_create_repositories: body.can_create_org_repo ?? team.can_create_repositories,
  }
}
