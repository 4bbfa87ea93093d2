import * as v from 'valibot'
import { badRequest, found, notFound, unprocessable } from '../../http/route/problem.ts'
import { json, noBody } from '../../http/route/sends.ts'
import { recordHappenings } from '../issue-events/event-store.ts'
import { numberIn, numberParam, onIssue } from '../protocol/query.ts'
import { issueAdmin, issuesAloneSeen, issuesSeen } from '../repos/issue-access.ts'
import { lockRepository } from '../repos/repo-store.ts'
import { route } from '../route.ts'
import type { TrackerContext } from './events.ts'
import { Issue, NewIssuePinsAllowed, printIssue } from './issue.shape.ts'
import { issuesByIds } from './issue-store.ts'
import { viewOf } from './issue-view.ts'
import { peopleIn } from './people.ts'
import { lockIssueId, pinnedIssues, replacePins } from './pin-store.ts'

/** Maximum number of pinned issues of a repository, and of pinned pull requests. */
const MAX_PINS = 3

export const repoListPinnedIssues = route('GET /repos/{owner}/{repo}/issues/pinned', {
  summary: 'Pinned issues of a repository, in their order',
  access: issuesAloneSeen(),
  returns: json(200, v.array(Issue)),
  handler: async ({ caller, sql, from }) => {
    const pinned = await issuesByIds(
      sql,
      await pinnedIssues(sql, { repository: caller.repo.id, isPull: false }),
    )
    const people = await peopleIn(sql, pinned)
    return pinned
      .toSorted((a, b) => a.pin_order - b.pin_order)
      .map((row) => printIssue(row, people, viewOf(caller, from.host)))
  },
})

export const repoNewPinAllowed = route('GET /repos/{owner}/{repo}/new_pin_allowed', {
  summary: 'Whether one more issue, and one more pull request, can be pinned',
  access: issuesSeen(),
  returns: json(200, NewIssuePinsAllowed),
  handler: async ({ caller, sql }) => {
    const hasRoom = async (isPull: boolean) =>
      (await pinnedIssues(sql, { repository: caller.repo.id, isPull })).length < MAX_PINS
    return { issues: await hasRoom(false), pull_requests: await hasRoom(true) }
  },
})

const pinning = { access: issueAdmin(), params: onIssue, returns: noBody(204) } as const

export const pinIssue = route('POST /repos/{owner}/{repo}/issues/{index}/pin', {
  ...pinning,
  summary: 'Pin an issue after the pinned ones; 204 also if it is pinned',
  fails: [400],
  handler: (context) =>
    changePins(context, context.params.index, (pinned, id) => {
      if (pinned.includes(id)) return pinned
      if (pinned.length >= MAX_PINS) throw badRequest(`a repository has at most ${MAX_PINS} pinned issues`)
      return [...pinned, id]
    }),
})

export const unpinIssue = route('DELETE /repos/{owner}/{repo}/issues/{index}/pin', {
  ...pinning,
  summary: 'Unpin an issue; 204 also if it is not pinned',
  handler: (context) =>
    changePins(context, context.params.index, (pinned, id) => pinned.filter((each) => each !== id)),
})

export const moveIssuePin = route('PATCH /repos/{owner}/{repo}/issues/{index}/pin/{position}', {
  ...pinning,
  summary: 'Move a pinned issue to another position, counted from 1',
  params: { ...onIssue, position: numberParam },
  fails: [422],
  handler: (context) =>
    changePins(context, context.params.index, (pinned, id) => {
      if (!pinned.includes(id)) throw notFound()
      const position = numberIn(context.params.position)
      if (position < 1 || position > pinned.length)
        throw unprocessable(`the places of pinned issues are 1 to ${pinned.length}`)
      return pinned.filter((each) => each !== id).toSpliced(position - 1, 0, id)
    }),
})

/** Locks the pins of the repository, and pins the issues that `choose` returns, by id. @throws Problem 404 */
function changePins(
  { caller, begin }: TrackerContext,
  index: string,
  choose: (pinned: number[], id: number) => number[],
): Promise<void> {
  const { id: repository } = caller.repo
  return begin(async (tx) => {
    const { id, is_pull: isPull } = found(await lockIssueId(tx, repository, numberIn(index)))
    // After the issue, as everything that closes or deletes one does.
    found(await lockRepository(tx, repository))
    const kind = { repository, isPull }
    const pinned = await pinnedIssues(tx, kind)
    const chosen = choose(pinned, id)
    if (chosen.join() === pinned.join()) return
    await replacePins(tx, kind, chosen)
    if (chosen.length === pinned.length) return
    const type = chosen.length > pinned.length ? 'pin' : 'unpin'
    await recordHappenings(tx, { issue: id, actor: caller.me.id }, [{ type }])
  })
}
