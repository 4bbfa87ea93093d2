import { issueByNumber } from '../../forge/issues/issue-store.ts'
import { numberIn, onIssue, queryFlag } from '../../forge/protocol/query.ts'
import { issueSubscriber, issuesSeen } from '../../forge/repos/issue-access.ts'
import { pageQuery } from '../../http/route/page.ts'
import { found } from '../../http/route/problem.ts'
import { ReplyWith } from '../../http/route/results.ts'
import { withQuery } from '../html.ts'
import { replyToForm } from '../operations/form.ts'
import { fileForm, formIn, isShownFirst } from '../operations/sent-form.ts'
import { pageReply } from '../profile.ts'
import { route } from '../route.ts'
import { bySender } from '../sign-in/sender.ts'
import { askedOfIssue } from './issue-actions.ts'
import { addressesOf } from './issue-context.ts'
import { issuePage } from './issue-page.ts'
import { textFileLimits } from './text-files.ts'

export const getIssuePage = route('GET /{owner}/{repo}/issues/{index}', {
  summary:
    'An issue with its comments, what else happened to it, and forms, as a page; a pull request has another one',
  access: issuesSeen(),
  params: onIssue,
  query: { page: pageQuery().page, ahead: queryFlag },
  ...pageReply,
  also: [303],
  handler: async ({ params, query, ...context }) => {
    const row = found(await issueByNumber(context.sql, context.caller.repo.id, numberIn(params.index)))
    if (!row.is_pull) return issuePage(context, row, { page: query.page, isAhead: query.ahead })
    const address = withQuery(addressesOf(context, row).address, query.page > 1 ? { page: query.page } : {})
    return new ReplyWith('', { status: 303, headers: { Location: address } })
  },
})

const form = fileForm(issueSubscriber(), textFileLimits)

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
    const { fields, files, refusal: refused } = formIn(body)
    if (isShownFirst(fields))
      return bySender(sender, fields, async (caller) => {
        const row = await rowFor(caller.repo.id)
        const page = await issuePage({ ...context, caller }, row, { values: fields, isPreview: true })
        return new ReplyWith(page, { status: 200 })
      })
    return replyToForm(sender, fields, {
      ask: async (caller) => refused ?? askedOfIssue(caller, await rowFor(caller.repo.id), { fields, files }),
      again: async (caller, refusal) =>
        issuePage({ ...context, caller }, await rowFor(caller.repo.id), { values: fields, refusal }),
    })
  },
})
