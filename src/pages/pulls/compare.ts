import * as v from 'valibot'
import { escapeSegments } from '../../forge/protocol/escape-segments.ts'
import { queryText, queryTrimmed } from '../../forge/protocol/query.ts'
import { pullAuthor } from '../../forge/pulls/access.ts'
import { repoCreatePullRequest } from '../../forge/pulls/pulls.ts'
import { codeSeen, type OnRepository, type SignedInOnRepository } from '../../forge/repos/access.ts'
import { gitValue, openCode } from '../../forge/repos/code.ts'
import { isObjectId, isZeroId } from '../../git/program/names.ts'
import { readPush } from '../../git/repository/history.ts'
import { ReplyWith } from '../../http/route/results.ts'
import { commitList } from '../code/commit-list.ts'
import { diffSections } from '../code/diff.ts'
import { type DifferenceQuery, differenceQuery, readDifference } from '../code/difference.ts'
import type { Fields } from '../form.ts'
import { counted, type Html, html } from '../html.ts'
import type { Sent } from '../issues/issue-actions.ts'
import type { IssueContext } from '../issues/issue-context.ts'
import { planIn } from '../issues/plan-fields.ts'
import { filesOfNewIssue, textFileLimits, textWith } from '../issues/text-files.ts'
import { noticeOf } from '../operations/fields.ts'
import { type Asked, replyToForm } from '../operations/form.ts'
import type { OnRequest } from '../operations/perform.ts'
import type { Refusal } from '../operations/refusal.ts'
import { fileForm, formIn, isShownFirst } from '../operations/sent-form.ts'
import { pageReply } from '../profile.ts'
import { forkLine } from '../repositories/reader-forms.ts'
import { repositoryPage } from '../repositories/repository-page.ts'
import { route } from '../route.ts'
import { bySender } from '../sign-in/sender.ts'
import { commitAt, comparedIn, namesIn } from './compared.ts'
import { proposalForm } from './proposal-form.ts'
import { sidesForm } from './sides-form.ts'

/** How many commits the page lists, and counts. */
const maximum = { commits: 50, count: 10_000 }

export const getCompareChoice = route('GET /{owner}/{repo}/compare', {
  summary: 'The form that chooses which branches are compared, as a page',
  access: codeSeen(),
  query: { base: queryTrimmed, head: queryTrimmed },
  ...pageReply,
  also: [303],
  handler: async ({ query, ...context }) => {
    const code = await openCode(context)
    const { base, head } = query
    if (base !== '' && head !== '') {
      const address = `${code.home}/compare/${escapeSegments(`${base}...${head}`)}?expand=1`
      return new ReplyWith('', { status: 303, headers: { Location: address } })
    }
    const { sql, caller, from } = context
    const main = html`<h2>Compare branches</h2>
${await forkLine({ sql, caller, host: from.host }, code.row)}
${await sidesForm(context, code, { base: base || code.row.default_branch, head })}`
    return repositoryPage({ ...context, host: context.from.host, current: 'pulls', title: 'Compare', main })
  },
})

export const getComparePage = route('GET /{owner}/{repo}/compare/{span...}', {
  summary:
    'Comparison of two commits, branches or tags (`before...after`), as a page; of two branches, also of a fork (`owner:branch`), with the form that proposes the second',
  access: codeSeen(),
  query: { ...differenceQuery, expand: queryText, title: queryText, body: queryText },
  ...pageReply,
  also: [303],
  handler: async ({ params, query, ...context }) => {
    const { base, head } = namesIn(params.span)
    // What events of a new branch name: there is nothing to compare it with.
    if (isZeroId(base)) {
      const code = await openCode(context)
      const all = `${code.home}/commits/commit/${await commitAt(code, head)}`
      return new ReplyWith('', { status: 303, headers: { Location: all } })
    }
    const { expand, title, body, ...difference } = query
    const values = { ...(title !== '' && { title }), ...(body !== '' && { body }) }
    const isOpen = expand !== '' && expand !== '0'
    return comparePage(context, params.span, { query: difference, values, isOpen })
  },
})

const form = fileForm(pullAuthor(), textFileLimits)

export const proposeByPage = route('POST /{owner}/{repo}/compare/{span...}', {
  ...form,
  summary: 'Propose a branch to be merged into another one, or show its text before it is sent',
  fails: [404],
  also: [200, ...form.also],
  handler: ({ caller: sender, params, body, ...context }) => {
    const { fields: values, files, refusal: refused } = formIn(body)
    const shown = { query: { page: 1, whitespace: '', only: '' } as const, values, isOpen: true }
    if (isShownFirst(values))
      return bySender(sender, values, async (caller) => {
        const page = await comparePage({ ...context, caller }, params.span, { ...shown, isPreview: true })
        return new ReplyWith(page, { status: 200 })
      })
    return replyToForm(sender, values, {
      ask: (caller) => refused ?? askedOf(caller, params.span, { fields: values, files }),
      again: (caller, refusal) => comparePage({ ...context, caller }, params.span, { ...shown, refusal }),
    })
  },
})

/** The opening of a pull request. Only those who may write to pull requests are asked for more than a text. */
function askedOf(caller: SignedInOnRepository & OnRequest, span: string, { fields, files }: Sent): Asked {
  const { repo } = caller
  const { title = '', body = '', draft } = fields
  const params = { owner: repo.owner.name, repo: repo.name }
  const prefix = draft === 'on' && title !== '' ? 'WIP: ' : ''
  const allows = fields.is_fork === undefined ? {} : { allow_maintainer_edit: fields.allow === 'on' }
  const input = {
    ...namesIn(span),
    title: prefix + title,
    body: textWith(body, files),
    ...allows,
    ...planIn(fields),
  }
  return {
    calls: [[repoCreatePullRequest, { params, body: input }]],
    isAtomic: true,
    files: filesOfNewIssue(caller, files),
    leadsTo: ([made]) => `${params.owner}/${params.repo}/pulls/${v.parse(Numbered, made).number}`,
    blame: { title: /\btitle\b/i, body: /\bbody\b/i, due: /deadline|due/i },
  }
}

const Numbered = v.object({ number: v.number() })

interface Shown {
  query: DifferenceQuery
  /** The form as it was sent, or as the address fills it. */
  values: Fields
  refusal?: Refusal
  isOpen: boolean
  isPreview?: boolean
}

/** A branch or tag as the address names it; the first digits of an id. */
const nameOf = (name: string): Html => html`<bdi>${isObjectId(name) ? name.slice(0, 10) : name}</bdi>`

/** @throws Problem 404, 503 */
async function comparePage(
  context: IssueContext & { caller: OnRepository },
  span: string,
  shown: Shown,
): Promise<string> {
  const { host } = context.from
  const own = await openCode(context)
  const compared = await comparedIn(context, own, span)
  const { code, before, after, sides } = compared
  const { query, refusal } = shown
  const [push, diff] = await Promise.all([
    readPush(code, { before, after, maxCommits: maximum.commits, count: maximum.count }).then(gitValue),
    readDifference(code, { before, after }, query),
  ])
  const address = `${own.home}/compare/${escapeSegments(span)}`
  const link = (id: string, home: string) =>
    html`<a href="${home}/commit/${id}"><code>${id.slice(0, 10)}</code></a>`
  const { base, head } = namesIn(span)
  const main = html`${noticeOf(undefined, refusal)}
<h2>From ${nameOf(base)} to ${nameOf(head)}: ${counted(push.total, 'commit')}</h2>
<p class="meta">Since ${link(before, own.home)} up to ${link(after, code.home)}</p>
<div class="column">${sides && (await sidesForm(context, own, namesIn(span)))}
${sides && (await proposalForm(context, { ...shown, address, own, sides, commits: push.commits }))}
${await commitList(
  context,
  code,
  push.commits.map(({ id }) => id),
)}
${diffSections(diff, { address, query, source: `${code.home}/src/commit/${after}` })}</div>`
  return repositoryPage({ ...context, host, title: span, main })
}
