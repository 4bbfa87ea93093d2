import { numberIn, onIssue, queryFlag } from '../../forge/protocol/query.ts'
import { pullSubscriber, pullsSeen } from '../../forge/pulls/access.ts'
import { pullByNumber } from '../../forge/pulls/pull-store.ts'
import { pageQuery } from '../../http/route/page.ts'
import { found } from '../../http/route/problem.ts'
import { ReplyWith } from '../../http/route/results.ts'
import { addressesOf } from '../issues/issue-context.ts'
import { textFileLimits } from '../issues/text-files.ts'
import { replyToForm } from '../operations/form.ts'
import { fileForm, formIn, isShownFirst } from '../operations/sent-form.ts'
import { pageReply } from '../profile.ts'
import { route } from '../route.ts'
import { bySender } from '../sign-in/sender.ts'
import { askedOfPull } from './pull-actions.ts'
import { conversationPage } from './pull-page.ts'

export const getPullPage = route('GET /{owner}/{repo}/pulls/{index}', {
  summary:
    'A pull request with its comments, reviews, what else happened to it, and forms, as a page; for other numbers, redirect to the issue: texts may write !1 for #1',
  access: pullsSeen(),
  params: onIssue,
  query: { page: pageQuery().page, ahead: queryFlag },
  ...pageReply,
  also: [303],
  handler: async ({ params, query, ...context }) => {
    const number = numberIn(params.index)
    const row = await pullByNumber(context.sql, context.caller.repo.id, number)
    if (row) return conversationPage(context, row, { page: query.page, isAhead: query.ahead })
    // That page says whether there is one: here, readers of pull requests would learn of issues.
    const { address } = addressesOf(context, { number, is_pull: false })
    return new ReplyWith('', { status: 303, headers: { Location: address } })
  },
})

const form = fileForm(pullSubscriber(), textFileLimits)

export const changePullByPage = route('POST /{owner}/{repo}/pulls/{index}', {
  ...form,
  summary:
    'Comment on a pull request, change, merge or update it, ask for reviews, react to it, or show a comment before it is sent',
  params: onIssue,
  fails: [400, 404],
  also: [200, ...form.also],
  handler: async ({ caller: sender, params, body, ...context }) => {
    const rowFor = async (repository: number) =>
      found(await pullByNumber(context.sql, repository, numberIn(params.index)))
    const { fields, files, refusal: refused } = formIn(body)
    if (isShownFirst(fields))
      return bySender(sender, fields, async (caller) => {
        const shown = { values: fields, isPreview: true }
        const page = await conversationPage({ ...context, caller }, await rowFor(caller.repo.id), shown)
        return new ReplyWith(page, { status: 200 })
      })
    return replyToForm(sender, fields, {
      ask: async (caller) =>
        refused ?? askedOfPull({ caller, sql: context.sql }, await rowFor(caller.repo.id), { fields, files }),
      again: async (caller, refusal) =>
        conversationPage({ ...context, caller }, await rowFor(caller.repo.id), { values: fields, refusal }),
    })
  },
})
