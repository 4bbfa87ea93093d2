import type { Fields } from '../form.ts'
import { html, type Piece } from '../html.ts'
import { page } from '../layout.ts'
import { noticeOf } from '../operations/fields.ts'
import type { Refusal } from '../operations/refusal.ts'
import type { Administrator } from './administrator.ts'

/** The sections of the administration, in their order: the last segment of the path, and the name. */
export const sections = {
  users: 'Users',
  organizations: 'Organizations',
  emails: 'E-mail addresses',
  runners: 'Runners',
  variables: 'Variables',
  tasks: 'Scheduled tasks',
  webhooks: 'Webhooks',
  mails: 'Mails',
  runs: 'Runs and jobs',
  storage: 'Artifacts and logs',
  packages: 'Packages',
  unadopted: 'Unadopted directories',
  badges: 'Badges',
  audit: 'Audit trail',
  sessions: 'Presence sessions',
} as const

type Section = keyof typeof sections

/** What a page shows beside what is stored. */
export interface Shown {
  /** Which page of its list. */
  page?: number
  /** The notice about what has just been done. */
  done?: string | undefined
  /** A form as it was sent. */
  values?: Fields
  refusal?: Refusal | undefined
}

/** A page of the administration without what all of them share. */
interface AdminPage extends Pick<Shown, 'done' | 'refusal'> {
  caller: Administrator
  title: string
  /** Absent: the overview of all sections. */
  section?: Section
  main: Piece
  /** Shown beside the heading. */
  beside?: Piece
}

/** The way back to the overview, and from a page of a section to its list. */
const wayTo = (host: string, section: Section, title: string) =>
  html`<p class="admin-way"><a href="${host}-/admin">Administration</a>${title === sections[section] ? undefined : html` / <a href="${host}-/admin/${section}">${sections[section]}</a>`}</p>`

/** A page of the administration: with the way back to its section, and to the others. */
export function adminPage({ caller, title, section, main, beside, done, refusal }: AdminPage): string {
  const { host } = caller.request.from
  const entry = ([name, text]: [string, string]) =>
    html`<li><a href="${host}-/admin/${name}"${name === section ? html` aria-current="page"` : undefined}>${text}</a></li>`
  const whole = html`<div class="admin">
<nav class="admin-nav" aria-label="Administration">
<ul><li><a href="${host}-/admin"${section === undefined ? html` aria-current="page"` : undefined}>Overview</a></li>${Object.entries(sections).map(entry)}</ul>
</nav>
<div class="admin-main">
${section === undefined ? undefined : wayTo(host, section, title)}
<div class="title"><h1>${title}</h1>${beside}</div>
${noticeOf(done, refusal)}
${main}
</div>
</div>`
  return page({ host, caller, title: `${title} · Administration`, main: whole })
}
