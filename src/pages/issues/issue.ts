import { issueByNumber } from '../../forge/issues/issue-store.ts'
import { numberIn, onIssue } from '../../forge/protocol/query.ts'
import { issueSubscriber, issuesSeen } from '../../forge/repos/issue-access.ts'
import { pageQuery } from '../../http/route/page.ts'
import { found } from '../../http/route/problem.ts'
import { ReplyWith } from '../../http/route/results.ts'
import { withQuery } from '../html.ts'
import { operationForm, replyToForm } from '../operations/form.ts'
import { pageReply } from '../profile.ts'
import { route } from '../route.ts'
import { bySender } from '../sign-in/sender.ts'
import { askedOfIssue } from './issue-actions.ts'
import { addressesOf } from './issue-context.ts'
import { issuePage } from './issue-page.ts'

export const getIssuePage = route('GET /{owner}/{repo}/issues/{index}', {
  summary:
    'An issue with its comments, what else happened to it, and forms, as a page; a pull request has another one',
  access: issuesSeen(),
  params: onIssue,
  query: { page: pageQuery().page },
  ...pageReply,
  also: [303],
  handler: async ({ params, query, ...context }) => {
    const row = found(await issueByNumber(context.sql, context.caller.repo.id, numberIn(params.index)))
    if (!row.is_pull) return issuePage(context, row, { page: query.page })
    const address = withQuery(addressesOf(context, row).address, query.page > 1 ? { page: query.page } : {})
    return new ReplyWith('', { status: 303, headers: { Location: address } })
  },
})

const form = operationForm(issueSubscriber())

export const changeIssueByPage = route('POST /{owner}/{repo}/issues/{index}', {
  ...form,
  summary: 'Comment on an issue, change it or a part of it, react to it, or show a comment before it is sent',
  params: onIssue,
  fails: [400, 404],
  also: [200, ...form.also],
  handler: async ({ caller: sender, params, body, ...context }) => {
    const number = numberIn(params.index)
    const rowFor = async (repository: number) => {
      const row = found(await issueByNumber(context.sql, repository, number))
      return found(row.is_pull ? undefined : row)
    }
    if (body.preview !== undefined)
      return bySender(sender, body, async (caller) => {
        const row = await rowFor(caller.repo.id)
        const page = await issuePage({ ...context, caller }, row, { values: body, isPreview: true })
        return new ReplyWith(page, { status: 200 })
      })
    return replyToForm(sender, body, {
      ask: async (caller) => askedOfIssue(caller, await rowFor(caller.repo.id), body),
      again: async (caller, refusal) =>
        issuePage({ ...context, caller }, await rowFor(caller.repo.id), { values: body, refusal }),
    })
  },
})
