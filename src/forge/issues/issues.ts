import * as v from 'valibot'
import type { Sql } from '../../db/sql.ts'
import { pageQuery } from '../../http/route/page.ts'
import { found, unprocessable } from '../../http/route/problem.ts'
import { nameKey } from '../accounts/account.ts'
import {
  inRepo,
  nextSecond,
  numberIn,
  onIssue,
  queryMoment,
  queryText,
  queryTrimmed,
  wholeSecond,
} from '../protocol/query.ts'
import type { OnRepository } from '../repos/access.ts'
import { route } from '../route.ts'
import { printUsers, User } from '../users/user.shape.ts'
import { issueAuthor, issuesSeen } from './access.ts'
import { pageOfAssignable } from './assignees.ts'
import { createIssue, editIssue } from './editing.ts'
import { peopleIn } from './events.ts'
import { CreateIssueOption, EditIssueOption } from './issue.option.ts'
import { Issue, type IssueSight, printIssue } from './issue.shape.ts'
import { type IssueFilter, issueByNumber, pageOfIssues, type StoredIssue } from './issue-store.ts'

const list = route(
  'GET /repos/{owner}/{repo}/issues',
  {
    summary: 'Issues of a repository under filters, newest first',
    access: issuesSeen(),
    params: inRepo,
    query: {
      state: queryText,
      labels: queryText,
      q: queryTrimmed,
      type: queryText,
      since: queryText,
      before: queryText,
      created_by: queryTrimmed,
      assigned_by: queryTrimmed,
      ...pageQuery(),
    },
    fails: [422],
    returns: [200, v.array(Issue)],
    sends: 'page',
    shared: 'until written',
  },
  async ({ caller, query, sql, from }) => {
    const filter = filterOf(caller.repo.id, query)
    // There are no pulls here, and nobody's issues where nobody can be called so.
    const page = filter ? await pageOfIssues(sql, filter, query) : { ...query, rows: [], total: 0 }
    const people = await peopleIn(sql, page.rows)
    const sight = sightOf(caller, from.host)
    return { ...page, rows: page.rows.map((row) => printIssue(row, people, sight)) }
  },
)

const show = route(
  'GET /repos/{owner}/{repo}/issues/{index}',
  {
    summary: 'An issue',
    access: issuesSeen(),
    params: onIssue,
    returns: [200, Issue],
  },
  async ({ caller, params, sql, from }) =>
    printed(sql, found(await issueByNumber(sql, caller.repo.id, numberIn(params.index))), caller, from.host),
)

const create = route(
  'POST /repos/{owner}/{repo}/issues',
  {
    summary: 'Open an issue',
    access: issueAuthor(),
    params: inRepo,
    body: CreateIssueOption,
    returns: [201, Issue],
  },
  async (ask) => printed(ask.sql, await createIssue(ask), ask.caller, ask.from.host),
)

const edit = route(
  'PATCH /repos/{owner}/{repo}/issues/{index}',
  {
    summary: 'Change, close or reopen an issue; what is not given stays',
    access: issueAuthor(),
    params: onIssue,
    body: EditIssueOption,
    returns: [201, Issue],
  },
  async (ask) =>
    printed(ask.sql, await editIssue(ask, numberIn(ask.params.index)), ask.caller, ask.from.host),
)

const assignable = route(
  'GET /repos/{owner}/{repo}/assignees',
  {
    summary: 'Who can be assigned to issues of a repository, by name',
    access: issuesSeen(),
    params: inRepo,
    query: pageQuery(),
    returns: [200, v.array(User)],
    sends: 'page',
    shared: 'until written',
  },
  async ({ caller, query, sql, from }) => {
    const page = await pageOfAssignable(sql, caller.repo.id, query)
    return printUsers(page, caller.me, from.host)
  },
)

export const issueRoutes = [list, show, create, edit, assignable]

/** How the issues of a repository are shown to a caller. */
export function sightOf({ subject, repo, me }: OnRepository, host: string): IssueSight {
  return { owner: subject, repo, viewer: me, host }
}

async function printed(sql: Sql, issue: StoredIssue, caller: OnRepository, host: string): Promise<Issue> {
  return printIssue(issue, await peopleIn(sql, [issue]), sightOf(caller, host))
}

interface Given {
  state: string
  labels: string
  q: string
  type: string
  since: string
  before: string
  created_by: string
  assigned_by: string
}

/** Undefined when nothing can match. @throws Problem 422 */
function filterOf(repository: number, given: Given): IssueFilter | undefined {
  const before = queryMoment('before', given.before, unprocessable)
  const since = queryMoment('since', given.since, unprocessable)
  const [poster, assignee] = [given.created_by, given.assigned_by].map((name) =>
    name === '' ? undefined : (nameKey(name) ?? 'ghost'),
  )
  if (given.type === 'pulls') return undefined
  return {
    repository,
    state: given.state === 'closed' || given.state === 'all' ? given.state : 'open',
    q: given.q,
    labels: given.labels.split(',').filter((name) => name !== ''),
    poster,
    assignee,
    from: since && wholeSecond(since),
    until: before && nextSecond(before),
  }
}
