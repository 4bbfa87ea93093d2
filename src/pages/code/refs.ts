import { escapeSegments } from '../../forge/protocol/escape-segments.ts'
import { queryText } from '../../forge/protocol/query.ts'
import { codeSeen, codeWritten } from '../../forge/repos/access.ts'
import { type Code, type CodeContext, gitValue, openCode } from '../../forge/repos/code.ts'
import { type Signer, signersOf } from '../../forge/ssh-keys/signers.ts'
import { newestRefs } from '../../git/repository/cache/newest-refs.ts'
import { readTagObjects } from '../../git/repository/tag.ts'
import type { Fields } from '../form.ts'
import { type Html, html } from '../html.ts'
import { card, type FeedLink, listOf } from '../layout.ts'
import { rowOf } from '../list.ts'
import { noticeOf } from '../operations/fields.ts'
import { operationForm, replyToForm } from '../operations/form.ts'
import type { Refusal } from '../operations/refusal.ts'
import { pageReply } from '../profile.ts'
import { repositoryPage } from '../repositories/repository-page.ts'
import { route } from '../route.ts'
import { verifiedBadge } from './commit-list.ts'
import { timeOfCommit } from './commit-time.ts'
import { mayWrite } from './edit-address.ts'
import { addressOf } from './folder.ts'
import { askedOfRefs, newRefForm, refForms, refNotices } from './ref-forms.ts'

/** How many branches or tags a page shows. */
const maximum = 200

const listing = {
  access: codeSeen(),
  query: { done: queryText },
  ...pageReply,
} as const

const changing = { ...operationForm(codeWritten()), fails: [400, 404, 503] } as const

export const getBranchesPage = route('GET /{owner}/{repo}/branches', {
  ...listing,
  summary: 'The branches of a repository, the newest first, as a page',
  handler: ({ query, ...context }) => refsPage(context, 'branch', { done: query.done }),
})

export const changeBranchesByPage = route('POST /{owner}/{repo}/branches', {
  ...changing,
  summary: 'Create, rename or delete a branch',
  handler: ({ caller: sender, body, ...context }) =>
    replyToForm(sender, body, {
      ask: (caller) => askedOfRefs(caller, 'branch', body),
      again: (caller, refusal) => refsPage({ ...context, caller }, 'branch', { values: body, refusal }),
    }),
})

export const getTagsPage = route('GET /{owner}/{repo}/tags', {
  ...listing,
  summary: 'The tags of a repository, the newest first, as a page',
  handler: ({ query, ...context }) => refsPage(context, 'tag', { done: query.done }),
})

export const changeTagsByPage = route('POST /{owner}/{repo}/tags', {
  ...changing,
  summary: 'Create or delete a tag',
  handler: ({ caller: sender, body, ...context }) =>
    replyToForm(sender, body, {
      ask: (caller) => askedOfRefs(caller, 'tag', body),
      again: (caller, refusal) => refsPage({ ...context, caller }, 'tag', { values: body, refusal }),
    }),
})

const kinds = {
  branch: { title: 'Branches', refs: 'heads', tab: 'branches' },
  tag: { title: 'Tags', refs: 'tags', tab: 'tags' },
} as const

interface Shown {
  done?: string
  values?: Fields
  refusal?: Refusal
}

async function refsPage(context: CodeContext, kind: keyof typeof kinds, shown: Shown): Promise<string> {
  const { host } = context.from
  const { title, refs, tab } = kinds[kind]
  const code = await openCode(context)
  const listed = gitValue(await newestRefs(code, refs, maximum + 1))
  const signers = await signersOfTags(context, code, listed)
  const mayChange = mayWrite(context.caller) && !code.row.is_empty
  const { done = '', values = {}, refusal } = shown
  const at = { address: `${code.home}/${tab}`, kind, values, refusal }
  const list = html`${card('refs', title)`${listOf(
    listed
      .slice(0, maximum)
      .map((ref) =>
        rowOf(
          html`<a href="${addressOf(code, 'src', `${kind}/${ref.name}`)}">${ref.name}</a>${kind === 'branch' && ref.name === code.row.default_branch ? html` <span class="badge">default</span>` : undefined}${verifiedBadge(signers.get(ref.id))}`,
          html`<a href="${code.home}/commit/${ref.commit}"><code>${ref.commit.slice(0, 10)}</code></a> ${timeOfCommit(ref.at)}`,
          html`${linksOf(code, kind, ref.name)}${mayChange ? refForms(at, ref.name, code.row.default_branch) : undefined}`,
        ),
      ),
    `No ${title.toLowerCase()} yet.`,
  )}`}
${listed.length > maximum ? html`<p class="meta">and more, in a clone</p>` : undefined}`
  const main = html`${noticeOf(refNotices[kind][done], refusal)}
${mayChange ? newRefForm(at, code.row.default_branch) : undefined}
${list}`
  const feed: { feed?: FeedLink } =
    kind === 'tag' ? { feed: { title, addressOf: (format) => `${code.home}/tags.${format}` } } : {}
  return repositoryPage({ ...context, host, current: tab, title, main, ...feed })
}

/** Who has signed the annotated tags among refs. @throws Problem 404, 503 */
async function signersOfTags(
  { sql }: Pick<CodeContext, 'sql'>,
  code: Code,
  refs: readonly { id: string; commit: string }[],
): Promise<ReadonlyMap<string, Signer>> {
  const ids = refs.filter(({ id, commit }) => id !== commit).map(({ id }) => id)
  const tags = gitValue(await readTagObjects(code, ids))
  return signersOf(
    sql,
    tags.map((tag) => ({ ...tag, committer: tag.tagger })),
    code.git.signer,
  )
}

/** Where a branch or tag is compared with the default branch, and what of it can be downloaded. */
function linksOf({ home, row }: Code, kind: keyof typeof kinds, name: string): Html {
  const path = escapeSegments(name)
  const base = escapeSegments(row.default_branch)
  const archives = html`<a href="${home}/archive/${path}.zip">zip</a> <a href="${home}/archive/${path}.tar.gz">tar.gz</a>`
  if (kind === 'branch' && name === row.default_branch) return archives
  const span = kind === 'branch' ? `${base}...${path}` : `${path}...${base}`
  return html`${archives} <a href="${home}/compare/${span}">Compare</a>`
}
