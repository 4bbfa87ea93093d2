import { numberIn, onIssue, queryText } from '../../forge/protocol/query.ts'
import { pullAuthor, pullsSeen } from '../../forge/pulls/access.ts'
import { pullByNumber } from '../../forge/pulls/pull-store.ts'
import { found } from '../../http/route/problem.ts'
import { differenceQuery } from '../code/difference.ts'
import type { Fields } from '../form.ts'
import { operationForm, replyToForm } from '../operations/form.ts'
import { pageReply } from '../profile.ts'
import { route } from '../route.ts'
import { type FilesQuery, filesPage } from './files-page.ts'
import { lineNamed } from './line-form.ts'
import { askedOfReviews } from './review-actions.ts'

export const getPullFilesPage = route('GET /{owner}/{repo}/pulls/{index}/files', {
  summary:
    'The files that a pull request changes, with the conversations about their lines and forms for reviews, as a page',
  access: pullsSeen(),
  params: onIssue,
  query: { ...differenceQuery, path: queryText, at: queryText, line: queryText },
  ...pageReply,
  handler: ({ params, query, ...context }) => {
    const { at, line, ...shown } = query
    return filesPage(context, params.index, { ...shown, at: lineNamed(query.path, at || line) })
  },
})

export const reviewPullByPage = route('POST /{owner}/{repo}/pulls/{index}/files', {
  ...operationForm(pullAuthor()),
  summary: 'Comment on a line, answer or resolve a conversation, or submit or delete a review',
  params: onIssue,
  fails: [400, 404],
  handler: ({ caller: sender, params, body, ...context }) =>
    replyToForm(sender, body, {
      ask: async (caller) => {
        const pull = found(await pullByNumber(context.sql, caller.repo.id, numberIn(params.index)))
        return askedOfReviews({ caller, sql: context.sql, pull }, body)
      },
      again: (caller, refusal) =>
        filesPage({ ...context, caller }, params.index, queryIn(body), { values: body, refusal }),
    }),
})

const spaces = ['ignore-eol', 'ignore-change', 'ignore-all'] as const

/** The part of the files from which a form was sent. */
function queryIn({ page = '', whitespace = '', only = '', path = '', at = '' }: Fields): FilesQuery {
  return {
    page: /^[1-9]\d{0,8}$/.test(page) ? Number(page) : 1,
    whitespace: spaces.find((each) => each === whitespace) ?? '',
    only,
    at: lineNamed(path, at),
  }
}
