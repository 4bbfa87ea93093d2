import { newestStatuses, type StoredStatus } from '../../forge/commit-statuses/commit-status-store.ts'
import { codeSeen } from '../../forge/repos/access.ts'
import { type Code, gitValue, openCode } from '../../forge/repos/code.ts'
import { type Signer, signersOf } from '../../forge/ssh-keys/signers.ts'
import { emptyTreeOf } from '../../git/program/names.ts'
import { readCommitObject, type StoredCommit } from '../../git/repository/commit.ts'
import { commitOfId } from '../../git/repository/revisions.ts'
import { found } from '../../http/route/problem.ts'
import { opener } from '../form.ts'
import { type Html, html } from '../html.ts'
import { card } from '../layout.ts'
import { pageReply } from '../profile.ts'
import { programLines } from '../program-lines.ts'
import { repositoryPage } from '../repositories/repository-page.ts'
import { route } from '../route.ts'
import { timeOfCommit } from './commit-time.ts'
import { diffSections } from './diff.ts'
import { differenceQuery, readDifference } from './difference.ts'
import { mayWrite } from './edit-address.ts'
import { statusList } from './status-list.ts'

export const getCommitPage = route('GET /{owner}/{repo}/commit/{sha}', {
  summary: 'A commit with its statuses and what it changes, as a page',
  access: codeSeen(),
  query: differenceQuery,
  ...pageReply,
  handler: async ({ params, query, ...context }) => {
    const { host } = context.from
    const code = await openCode(context)
    const { row } = code
    const id = found(gitValue(await commitOfId(code, params.sha)))
    const shown = found(gitValue(await readCommitObject(code, id)))
    const [diff, statuses, signers] = await Promise.all([
      readDifference(code, { before: shown.parents[0] ?? emptyTreeOf(id), after: id }, query),
      newestStatuses(context.sql, row.id, id),
      signersOf(context.sql, [shown], code.git.signer),
    ])
    const [subject = '', ...rest] = shown.message.trimEnd().split('\n')
    const body = rest.join('\n').trim()
    const main = html`<h2>${subject}</h2>
${body === '' ? undefined : html`<pre class="wrapped">${body}</pre>`}
<div class="panel">
${diffSections(diff, { address: `${code.home}/commit/${id}`, query, source: `${code.home}/src/commit/${id}` })}
<div class="column">${about(code, shown, signers.get(id))}${statusSection(statuses)}${mayWrite(context.caller) ? reporting(code, id) : undefined}</div>
</div>`
    return repositoryPage({ ...context, host, current: '', title: subject, main })
  },
})

function about(
  { home }: Code,
  { id, parents, author, committer, signature }: StoredCommit,
  signer: Signer | undefined,
): Html {
  const isAnother = committer.name !== author.name || committer.email !== author.email
  return card('about', 'About')`<dl class="facts">
<dt>Commit</dt><dd><code>${id}</code></dd>
<dt>Author</dt><dd>${author.name} ${timeOfCommit(author.at)}</dd>
${isAnother ? html`<dt>Committer</dt><dd>${committer.name} ${timeOfCommit(committer.at)}</dd>` : undefined}
${signature === '' ? undefined : html`<dt>Signature</dt><dd>${signatureOf(signer)}</dd>`}
<dt>Parents</dt><dd>${parents.length === 0 ? 'none' : parents.map((parent) => html`<a href="${home}/commit/${parent}"><code>${parent.slice(0, 10)}</code></a> `)}</dd>
<dt>Files</dt><dd><a href="${home}/src/commit/${id}">All files of this commit</a></dd>
<dt>As text</dt><dd><a href="${home}/commit/${id}.diff">diff</a> · <a href="${home}/commit/${id}.patch">patch</a></dd>
</dl>`
}

const signatureOf = (signer: Signer | undefined): Html =>
  signer
    ? html`<span class="badge good">Verified</span> by <a href="/${signer.name}">${signer.name}</a> <code class="wrapped">${signer.key}</code>`
    : html`<span class="badge">Unverified</span> No account has both its key and the address of the committer.`

/** The newest status of each context. */
const statusSection = (statuses: readonly StoredStatus[]): Html | undefined =>
  statuses.length === 0 ? undefined : card('statuses', 'Statuses')`${statusList(statuses)}`

const reporting = ({ api }: Code, commit: string): Html =>
  opener(
    'Report a status',
    'How programs report a status',
    programLines(
      'report a status',
      'A program says what it found so, with pending, success, error or failure:',
      {
        api,
        commit,
      },
    ),
  )
