import { accountById } from '../../forge/accounts/account-store.ts'
import type { OnRepository } from '../../forge/repos/access.ts'
import { type Code, openCode } from '../../forge/repos/code.ts'
import { printRepository, type Repository } from '../../forge/repos/repo.shape.ts'
import { hasSsh } from '../../forge/repos/ssh-address.ts'
import { found } from '../../http/route/problem.ts'
import type { HandlerBase } from '../../http/route/route.ts'
import { codeTools } from '../code/code-tools.ts'
import { editAddress, mayWrite } from '../code/edit-address.ts'
import { addressOf } from '../code/folder.ts'
import { defaultBranchSections } from '../code/readme.ts'
import { refMenu } from '../code/ref-menu.ts'
import { opener } from '../form.ts'
import { type Html, html, linkOf, timeOf } from '../html.ts'
import { card } from '../layout.ts'
import { noticeOf } from '../operations/fields.ts'
import type { Refusal } from '../operations/refusal.ts'
import { programLines } from '../program-lines.ts'
import type { PageTools } from '../route.ts'
import { forkLine, readerForms } from './reader-forms.ts'
import { badgesOf, readsCode, repositoryPage } from './repository-page.ts'

type Context = HandlerBase<PageTools> & { caller: OnRepository }

/** The page of a repository; `refusal`: why a form of it has changed nothing. @throws Problem 404, 503 */
export async function repositoryHome(context: Context, refusal?: Refusal): Promise<string> {
  const { caller, sql } = context
  const { host } = context.from
  const code = await openCode(context)
  const { row } = code
  const owner = found(await accountById(sql, row.owner_id))
  const printed = printRepository(row, owner, { host, level: caller.repo.level, known: false })
  const has_code = await readsCode(sql, caller)
  const reader = { ...caller, repo: { ...caller.repo, has_code } }
  const { files, readme, place } = (has_code && (await defaultBranchSections(context, code))) || {}
  const counts = { stars: row.stars_count, watchers: row.watchers_count }
  const main = html`${noticeOf(undefined, refusal)}
${row.description === '' ? undefined : html`<p class="lead">${row.description}</p>`}
${await forkLine({ sql, host, caller: reader }, row)}
${await readerForms({ sql, host, caller: reader, counts, isTemplate: row.is_template && has_code, forkBranch: row.parent_id !== null && mayWrite(reader) ? row.default_branch : undefined })}
${
  has_code
    ? html`<div class="code-bar">${place && (await refMenu(code, place, 'src'))}${newFile(code, caller)}${cloneAddress(printed)}</div>
${place && codeTools(code, place)}`
    : undefined
}
<div class="panel">
<div class="column">
${files && html`<section class="card" aria-label="Files">${files}</section>`}
${has_code ? readmeSection(readme ?? (row.is_empty ? howToBegin(printed) : noReadme)) : undefined}
</div>
${aboutSection(code, reader)}
</div>`
  return repositoryPage({
    host,
    sql,
    caller,
    picture: printed.avatar_url,
    badges: badgesOf(row),
    current: '',
    main,
    script: 'code',
  })
}

/** The default branch of an empty repository begins with its first file. */
function newFile(code: Code, caller: OnRepository): Html | undefined {
  if (!mayWrite(caller)) return undefined
  const address = editAddress(code, { name: `branch/${code.row.default_branch}`, path: '' })
  return html`<a class="button quiet small" href="${address}">Add files</a>`
}

function aboutSection(code: Code, { repo }: OnRepository): Html {
  const { row } = code
  const website = linkOf(row.website)
  return card('about', 'About')`<dl class="facts">
${repo.has_code ? factsOfCode(code) : undefined}
${repo.has_issues ? html`<dt>Open issues</dt><dd>${row.open_issues}</dd>` : undefined}
<dt>Stars</dt><dd>${row.stars_count}</dd>
<dt>Watchers</dt><dd>${row.watchers_count}</dd>
${row.topics.length > 0 ? html`<dt>Topics</dt><dd>${row.topics.map((topic) => html`<span class="badge">${topic}</span> `)}</dd>` : undefined}
${row.licenses.length > 0 ? html`<dt>Licence</dt><dd>${row.licenses.join(', ')}</dd>` : undefined}
${website && html`<dt>Website</dt><dd>${website}</dd>`}
<dt>Changed</dt><dd>${timeOf(row.updated_at)}</dd>
</dl>`
}

const readmeSection = (content: Html) =>
  html`<section class="card rendered" aria-label="README">${content}</section>`

const noReadme = html`<h2>No README</h2><p class="empty">The default branch has none.</p>`

/** The address for git, above all else: on a phone, too. The script shows the button. */
const cloneAddress = ({ clone_url: clone, ssh_url, full_name: path }: Repository) =>
  html`${addressToCopy('Clone', clone)}${hasSsh() ? addressToCopy('SSH', ssh_url) : undefined}
${opener('How', 'How to clone it', programLines('clone', 'With git, or with tea after its login:', { clone, path }))}`

const addressToCopy = (name: string, address: string) =>
  html`<p class="clone"><span class="quiet-text">${name}</span> <code>${address}</code>
<button type="button" class="quiet small" data-copy="${address}" hidden>Copy</button></p>`

const factsOfCode = (code: Code) => {
  const { is_empty, default_branch: name, branch_count } = code.row
  const at = (page: 'src' | 'commits') => addressOf(code, page, `branch/${name}`)
  return html`<dt>Branch</dt><dd>${is_empty ? name : html`<a href="${at('src')}">${name}</a> · <a href="${at('commits')}">commits</a>`}</dd>
<dt>Branches</dt><dd>${branch_count}</dd>`
}

const howToBegin = ({
  clone_url: clone,
  default_branch: branch,
}: Pick<Repository, 'clone_url' | 'default_branch'>) =>
  html`<h2>Nothing has been pushed yet</h2>
${programLines('push a new repository', 'Begin with a clone:', { clone, branch })}
${programLines('push an existing repository', 'Or push what you have:', { clone, branch })}`
