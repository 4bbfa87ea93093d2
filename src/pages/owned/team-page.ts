import { Team } from '../../forge/orgs/team.shape.ts'
import { orgGetTeam } from '../../forge/orgs/teams.ts'
import { type Fields, opened } from '../form.ts'
import { html } from '../html.ts'
import { describedFields } from '../operations/described.ts'
import { noticeOf } from '../operations/fields.ts'
import { type OnRequest, read } from '../operations/perform.ts'
import type { Refusal } from '../operations/refusal.ts'
import { sectionAddress } from './owner.ts'
import { changedTeam, type OnTeam } from './team-owners.ts'
import { storedTeam, teamFields } from './teams.ts'

interface Shown {
  done?: string | undefined
  /** A form as it was sent. */
  values?: Fields
  refusal?: Refusal
}

/** The page of the form that changes a team. */
export async function teamPage(caller: OnTeam & OnRequest, { done, values, refusal }: Shown) {
  const team = await read(caller, orgGetTeam, Team, { params: { id: caller.team.id } })
  const section = 'edit'
  const isOfOwners = team.permission === 'owner'
  const main = html`${noticeOf(done, refusal)}
${isOfOwners ? html`<p class="quiet-text">Owners have all rights; only the description and who sees the team can be changed.</p>` : undefined}
<div class="card">${opened(sectionAddress(changedTeam, caller, section))}
${describedFields(teamFields, { values: values ?? storedTeam(team), refusal })}
<button>Save</button></form></div>`
  return changedTeam.page(caller, { section, title: 'Settings', main })
}
