import * as v from 'valibot'
import type { ArrivedFile } from '../../forge/attachments/upload.ts'
import { pageOfEntries } from '../../forge/issue-events/event-store.ts'
import { issueCreateComment, issueDeleteComment } from '../../forge/issues/comments.ts'
import { Comment } from '../../forge/issues/issue.shape.ts'
import { issueAddLabel, issueRemoveLabel } from '../../forge/issues/issue-labels.ts'
import type { StoredIssue } from '../../forge/issues/issue-store.ts'
import {
  issueAddAssignees,
  issueDelete,
  issueEditIssue,
  issueEditIssueDeadline,
  issueRemoveAssignees,
} from '../../forge/issues/issues.ts'
import { issueLockIssue, issueUnlockIssue } from '../../forge/issues/locks.ts'
import { moveIssuePin, pinIssue, unpinIssue } from '../../forge/issues/pins.ts'
import {
  issueDeleteCommentReaction,
  issueDeleteIssueReaction,
  issuePostCommentReaction,
  issuePostIssueReaction,
} from '../../forge/issues/reactions.ts'
import { issueAddSubscription, issueDeleteSubscription } from '../../forge/notifications/subscriptions.ts'
import type { SignedInOnRepository } from '../../forge/repos/access.ts'
import { type Fields, unknownAction } from '../form.ts'
import type { Asked, Call } from '../operations/form.ts'
import type { OnRequest } from '../operations/perform.ts'
import type { Refusal } from '../operations/refusal.ts'
import { pageWith } from './conversation.ts'
import { segmentOf } from './issue-context.ts'
import { endOfDay, tickedIn } from './plan-fields.ts'
import { askedToRelate } from './related.ts'
import { filesOfNewComment, textWith } from './text-files.ts'
import { askedToTick, tickedTextOf } from './ticking.ts'

/** What the forms of an issue are about. */
interface Place {
  /** The parameters of its operations. */
  params: { owner: string; repo: string; index: number }
  /** The path of its page, and of the list that it is in. */
  path: string
  list: string
  issue: StoredIssue
  caller: FormSender
  files: readonly ArrivedFile[]
}

type FormSender = SignedInOnRepository & OnRequest

/** A form as it was sent. */
export interface Sent {
  fields: Fields
  files: readonly ArrivedFile[]
}

/** What a form of the page of an issue asks for. @throws Problem 400 an unknown action, 403, 404 */
export async function askedOfIssue(
  caller: FormSender,
  issue: StoredIssue,
  { fields, files }: Sent,
): Promise<Asked | Refusal> {
  if (fields.action === 'tick')
    return askedToTick(caller, fields, tickedTextOf(caller, issue.number, fields.comment))
  const { name, owner } = caller.repo
  const list = `${owner.name}/${name}/${segmentOf(issue)}`
  const params = { owner: owner.name, repo: name, index: issue.number }
  const [, action] = Object.entries(actions).find(([name]) => name === fields.action) ?? []
  if (!action) throw unknownAction()
  const place = { params, path: `${list}/${issue.number}`, list, issue, caller, files }
  const asked = action(fields, place)
  return 'calls' in asked || 'sentence' in asked
    ? asked
    : { calls: asked, isAtomic: asked.length > 1, leadsTo: place.path }
}

/** The calls that each action makes; most of them lead back to the page. */
const actions: Readonly<Record<string, (fields: Fields, place: Place) => readonly Call[] | Asked | Refusal>> =
  {
    comment: answer,
    'delete-comment': ({ comment = '' }, { params }) => [
      [issueDeleteComment, { params: { ...params, id: comment } }],
    ],
    react: ({ comment, content, remove = '' }, { params, path }) => {
      const [adding, removing] =
        comment === undefined
          ? [issuePostIssueReaction, issueDeleteIssueReaction]
          : [issuePostCommentReaction, issueDeleteCommentReaction]
      const input = { params: { ...params, id: comment ?? '' }, body: { content: content ?? remove } }
      return {
        calls: [[content === undefined ? removing : adding, input]],
        leadsTo: comment === undefined ? path : `${path}#issuecomment-${comment}`,
      }
    },
    labels: (fields, { params, issue }) => {
      const { added, removed } = differenceIn(fields, 'label-')
      // Those first: a label may replace another one of its scope.
      const present = removed.filter((each) => issue.labels.some(({ id }) => String(id) === each))
      return [
        ...present.map((id): Call => [issueRemoveLabel, { params: { ...params, id } }]),
        ...callWith(added.map(Number), (labels) => [issueAddLabel, { params, body: { labels } }]),
      ]
    },
    assignees: (fields, { params }) => {
      const { added, removed } = differenceIn(fields, 'assignee-')
      return [
        ...callWith(removed, (assignees) => [issueRemoveAssignees, { params, body: { assignees } }]),
        ...callWith(added, (assignees) => [issueAddAssignees, { params, body: { assignees } }]),
      ]
    },
    milestone: ({ milestone = '' }, { params }) => [
      [issueEditIssue, { params, body: { milestone: Number(milestone) } }],
    ],
    due: ({ due = '' }, { params }) => [
      [issueEditIssueDeadline, { params, body: due === '' ? {} : { due_date: endOfDay(due) } }],
    ],
    lock: ({ reason = '' }, { params }) => [[issueLockIssue, { params, body: { lock_reason: reason } }]],
    unlock: (_, { params }) => [[issueUnlockIssue, { params }]],
    pin: (_, { params }) => [[pinIssue, { params }]],
    unpin: (_, { params }) => [[unpinIssue, { params }]],
    'pin-first': (_, { params }) => [[moveIssuePin, { params: { ...params, position: 1 } }]],
    subscribe: (_, { params, caller }) => [
      [issueAddSubscription, { params: { ...params, user: caller.me.name } }],
    ],
    unsubscribe: (_, { params, caller }) => [
      [issueDeleteSubscription, { params: { ...params, user: caller.me.name } }],
    ],
    relate: (fields, place) => askedToRelate(fields.relation ?? '', fields, place),
    undepend: (fields, place) => askedToRelate('undepend', fields, place),
    unblock: (fields, place) => askedToRelate('unblock', fields, place),
    delete: (_, { params, list }) => ({ calls: [[issueDelete, { params }]], leadsTo: list }),
  }

/** A call about some things; none if there are none. */
const callWith = <Thing>(things: readonly Thing[], callOf: (things: readonly Thing[]) => Call): Call[] =>
  things.length === 0 ? [] : [callOf(things)]

/** A comment, a change of the state, or both; leads to the comment, on its page. */
function answer({ body = '', state }: Fields, { params, path, issue, caller, files }: Place): Asked {
  const written = textWith(body, files)
  const text = written.trim() === '' ? '' : written
  const isComment = text !== '' || state === undefined
  const calls: readonly Call[] = [
    ...(isComment ? [[issueCreateComment, { params, body: { body: text } }] satisfies Call] : []),
    ...(state === undefined ? [] : [[issueEditIssue, { params, body: { state } }] satisfies Call]),
  ]
  return {
    calls,
    isAtomic: true,
    files: filesOfNewComment(caller, files),
    leadsTo: async ([first], sql) => {
      if (!isComment) return path
      const { id } = v.parse(Comment, first)
      const place = (await pageOfEntries(sql, issue.id, {}, { page: 1, limit: 1 })).total - (calls.length - 1)
      const page = pageWith(place)
      return `${path}${page === 1 ? '' : `?page=${page}`}#issuecomment-${id}`
    },
    blame: { body: /\bbody\b/i },
  }
}

/** What was ticked and unticked in a form that said in `shown` what was ticked in it before. */
function differenceIn(
  fields: Fields,
  prefix: 'label-' | 'assignee-',
): { added: string[]; removed: string[] } {
  const ticked = tickedIn(fields, prefix)
  const shown = (fields.shown ?? '').split(',').filter((each) => each !== '')
  return {
    added: ticked.filter((each) => !shown.includes(each)),
    removed: shown.filter((each) => !ticked.includes(each)),
  }
}
