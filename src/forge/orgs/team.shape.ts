import * as v from 'valibot'
import { mapPage, type Page } from '../../db/page.ts'
import { shape } from '../../http/route/validate.ts'
import { described, int } from '../../http/route/values.ts'
import { VISIBILITIES } from '../accounts/visibility.ts'
import { grantedUnits, orderedUnits, PERMISSIONS } from '../permissions/units.ts'
import { Organization, printOrganization } from './organization.shape.ts'
import type { TeamWithOrganization } from './team-store.ts'

/** Team, with its members in the order in which they are sent. */
export const Team = shape('Team', {
  id: int,
  name: v.string(),
  description: v.string(),
  organization: Organization,
  includes_all_repositories: v.boolean(),
  permission: described(
    v.picklist(PERMISSIONS),
    'The lowest permission in `units_map`; `admin` and `owner` are everything',
  ),
  units: described(v.array(v.string()), 'Areas of repositories that the team may use'),
  units_map: described(
    v.record(v.string(), v.picklist(PERMISSIONS)),
    'Permission of each area; one that is missing is closed to the team',
  ),
  can_create_org_repo: v.boolean(),
  visibility: v.picklist(VISIBILITIES),
})
export type Team = v.InferOutput<typeof Team>

/** A page of teams as it is sent. */
export const printTeams = (page: Page<TeamWithOrganization>, host: string): Page<Team> =>
  mapPage(page, (row) => printTeam(row, host))

/** A team as it is sent; `host` is the root of links (`from.host`). */
export function printTeam(team: TeamWithOrganization, host: string): Team {
  return {
    id: team.id,
    name: team.name,
    description: team.description,
    organization: printOrganization(team.organization, host),
    includes_all_repositories: team.includes_all_repositories,
    permission: team.permission,
    units: grantedUnits(team.units),
    units_map: orderedUnits(team.units),
    can_create_org_repo: team.can_create_repositories,
    visibility: team.visibility,
  }
}

/** The reply to a search for teams. */
export const TeamSearch = v.object({ ok: v.boolean(), data: v.array(Team) })
