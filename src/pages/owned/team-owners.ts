import { accountByName } from '../../forge/accounts/account-store.ts'
import type { AccessContext, ForgeAccess, SignedInOnSubject } from '../../forge/auth/access.ts'
import { teamOwner, teamSeen } from '../../forge/auth/org-access.ts'
import { type TeamWithOrganization, teamByName } from '../../forge/orgs/team-store.ts'
import { found } from '../../http/route/problem.ts'
import { html } from '../html.ts'
import { besideSections, page } from '../layout.ts'
import { organizationHeading } from '../organizations/heading.ts'
import type { Owner } from './owner.ts'

/** Who asks for a page of a team. */
export type OnTeam = SignedInOnSubject & { readonly team: TeamWithOrganization }

/** A rule about the team `{id}` for paths that name it, `{org}` and `{team}`. */
function named(rule: ForgeAccess<SignedInOnSubject>): ForgeAccess<OnTeam> {
  const admit = async (context: AccessContext) => {
    const { params, tools, from } = context
    const team = await tools.limiter.run(() => teamIn(context), from.network)
    // The rule says to whom a team that is not there is unknown, too.
    const id = String(team?.id ?? 0)
    return { ...(await rule.admit({ ...context, params: { ...params, id } })), team: found(team) }
  }
  return { ...rule, admit }
}

async function teamIn({ sql, params: { org = '', team = '' } }: AccessContext) {
  const organization = await accountByName(sql, org)
  return organization && teamByName(sql, organization.id, team)
}

const sections = [
  ['members', 'Members'],
  ['repositories', 'Repositories'],
  ['edit', 'Settings'],
] as const

const isOwner = ({ me, is_owner }: OnTeam) => me.is_admin || is_owner

/** A team, for those who see it; owners of the organization change it. */
export const seenTeam: Owner<OnTeam> = {
  rule: named(teamSeen()),
  params: ({ team }) => ({ id: String(team.id) }),
  path: ({ subject, team }) => `org/${subject.name}/teams/${encodeURIComponent(team.name)}`,
  mayChange: isOwner,
  page: (caller, { section, title, main }) => {
    const { host } = caller.request.from
    const home = host + seenTeam.path(caller)
    const shown = sections.filter(([path]) => path !== 'edit' || isOwner(caller))
    const links = shown.map(([path, name]) => [`${home}/${path}`, name] as const)
    const content = html`<h2>${title}</h2>
${main}`
    const whole = html`${organizationHeading(host, caller, 'teams')}
${besideSections(links, `${home}/${section}`, content, `Team ${caller.team.name}`)}`
    return page({
      host,
      caller,
      title: `${title} · ${caller.team.name} · ${caller.subject.name}`,
      main: whole,
    })
  },
}

/** The same, to be changed. */
export const changedTeam: Owner<OnTeam> = { ...seenTeam, rule: named(teamOwner()) }
