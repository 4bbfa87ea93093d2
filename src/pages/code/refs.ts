import { codeSeen } from '../../forge/repos/access.ts'
import { type CodeContext, gitValue, openCode } from '../../forge/repos/code.ts'
import { newestRefs } from '../../git/repository/cache/newest-refs.ts'
import { html } from '../html.ts'
import { card, listOf } from '../layout.ts'
import { pageReply } from '../profile.ts'
import { repositoryPage } from '../repositories/repository-page.ts'
import { route } from '../route.ts'
import { timeOfCommit } from './commit-time.ts'
import { addressOf } from './folder.ts'

/** How many branches or tags a page shows. */
const maximum = 200

const listing = {
  access: codeSeen(),
  ...pageReply,
} as const

export const getBranchesPage = route('GET /{owner}/{repo}/branches', {
  ...listing,
  summary: 'The branches of a repository, the newest first, as a page',
  handler: (context) => refsPage(context, 'branch'),
})

export const getTagsPage = route('GET /{owner}/{repo}/tags', {
  ...listing,
  summary: 'The tags of a repository, the newest first, as a page',
  handler: (context) => refsPage(context, 'tag'),
})

const kinds = {
  branch: { title: 'Branches', refs: 'heads', tab: 'branches' },
  tag: { title: 'Tags', refs: 'tags', tab: 'tags' },
} as const

async function refsPage(context: CodeContext, kind: keyof typeof kinds): Promise<string> {
  const { host } = context.from
  const { title, refs, tab } = kinds[kind]
  const code = await openCode(context)
  const listed = gitValue(await newestRefs(code, refs, maximum + 1))
  const main = card('refs', title)`${listOf(
    listed.slice(0, maximum).map(
      (ref) => html`
<li><div class="row"><h3><a href="${addressOf(code, 'src', `${kind}/${ref.name}`)}">${ref.name}</a>${kind === 'branch' && ref.name === code.row.default_branch ? html` <span class="badge">default</span>` : undefined}</h3>
<span><a href="${code.home}/commit/${ref.commit}"><code>${ref.commit.slice(0, 10)}</code></a> ${timeOfCommit(ref.at)}</span></div></li>`,
    ),
    `No ${title.toLowerCase()} yet.`,
  )}
${listed.length > maximum ? html`<p class="meta">and more, in a clone</p>` : undefined}`
  return repositoryPage({ ...context, host, current: tab, title, main })
}
