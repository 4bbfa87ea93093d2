import type * as v from 'valibot'
import type { Begin, Sql, Tx } from '../../db/sql.ts'
import { found } from '../../http/route/problem.ts'
import { addressedNames } from '../../render/markdown/mentions.ts'
import { emitIssueActivity } from '../notifications/events.ts'
import { keepAuthors, writesIssues } from './access.ts'
import { assigneesNamed } from './assignees.ts'
import { type IssueNews, type TrackerContext, tellOfIssue } from './events.ts'
import type { CreateIssueOption, EditIssueOption } from './issue.option.ts'
import {
  insertIssue,
  issueByNumber,
  lockIssue,
  replaceAssignees,
  replaceLabels,
  type StoredIssue,
  updateIssue,
} from './issue-store.ts'
import { keepWanted } from './labelling.ts'
import { insertMentions } from './mention-store.ts'

type Draft = v.InferOutput<typeof CreateIssueOption>
type Input = v.InferOutput<typeof EditIssueOption>

/** What a handler is given that changes issues. */
interface IssueContext<Body> extends TrackerContext {
  body: Body
  sql: Sql
  begin: Begin
}

/**
 * Opens an issue. Assignees and labels are for those who may write to issues; from others they are not taken, as
 * clients of the original know it.
 * @throws Problem 422 assignees or labels that are not there
 */
export async function createIssue(ask: IssueContext<Draft>): Promise<StoredIssue> {
  const { body, caller, sql, begin } = ask
  const { me, repo } = caller
  const mayWrite = writesIssues(caller)
  const names = mayWrite ? [...(body.assignees ?? []), body.assignee] : []
  const assignees = await assigneesNamed(sql, caller, names)
  return begin(async (tx) => {
    const labels = mayWrite ? await keepWanted(tx, repo.id, body.labels) : []
    const draft = {
      repository_id: repo.id,
      poster_id: me.id,
      title: body.title,
      body: body.body,
      ref: body.ref,
    }
    const { id, number } = await insertIssue(tx, { closed: body.closed, ...draft })
    const own = { id, repository_id: repo.id }
    if (assignees.length > 0) await replaceAssignees(tx, id, assignees)
    if (labels.length > 0) await replaceLabels(tx, own, labels)
    const issue = found(await issueByNumber(tx, repo.id, number))
    const closed: IssueNews[] = body.closed ? [{ action: 'closed' }] : []
    const assigned: IssueNews[] = assignees.map(() => ({ action: 'assigned' }))
    await tellOfIssue(tx, ask, issue, [{ action: 'opened' }, ...assigned, ...closed])
    const addressed = addressedNames(`${body.title}\n\n${body.body}`)
    await insertMentions(tx, { issue: id, actor: me.id, names: addressed })
    await emitIssueActivity(tx, {
      issue: id,
      actor: me.id,
      audience: true,
      names: addressed,
      accounts: assignees,
    })
    return issue
  })
}

/**
 * Changes an issue; what is not given stays. Assignees are for those who may write to issues.
 * @throws Problem 403, 404, 422
 */
export async function editIssue(ask: IssueContext<Input>, number: number): Promise<StoredIssue> {
  const { body, caller, sql, begin } = ask
  const { repo } = caller
  const names = namedIn(body)
  const assignees = names && writesIssues(caller) ? await assigneesNamed(sql, caller, names) : undefined
  return begin(async (tx) => {
    const old = found(await lockIssue(tx, repo.id, number))
    keepAuthors(caller, old.poster_id)
    const news = await applied(tx, old, body)
    const come = assignees?.filter((id) => !old.assignees.includes(id)) ?? []
    const gone = assignees ? old.assignees.filter((id) => !assignees.includes(id)) : []
    if (assignees && come.length + gone.length > 0) {
      await replaceAssignees(tx, old.id, assignees)
      news.push(...come.map(() => ({ action: 'assigned' as const })))
      news.push(...gone.map(() => ({ action: 'unassigned' as const })))
    }
    const issue = found(await issueByNumber(tx, repo.id, number))
    await tellOfIssue(tx, ask, issue, news)
    const audience = news.some(({ action }) => action === 'closed' || action === 'reopened')
    await emitIssueActivity(tx, { issue: old.id, actor: caller.me.id, audience, names: [], accounts: come })
    return issue
  })
}

/** Whom an edit names, if it says anything of assignees; an empty `assignee` means nobody. */
function namedIn({ assignee, assignees }: Input): string[] | undefined {
  if (assignee === undefined && assignees === undefined) return undefined
  return [...(assignees ?? []), assignee ?? '']
}

/** Writes title, body, ref and state into a locked issue, and gives what hooks hear of that; what is equal is no change. */
async function applied(tx: Tx, old: StoredIssue, { title, body, ref, state }: Input): Promise<IssueNews[]> {
  const news: IssueNews[] = []
  const next = { title: title || old.title, body: body ?? old.body, ref: ref ?? old.ref }
  const changes = {
    ...(next.title !== old.title && { title: { from: old.title } }),
    ...(next.body !== old.body && { body: { from: old.body } }),
  }
  if (Object.keys(changes).length > 0) news.push({ action: 'edited', changes })
  const closes = state === 'closed' && old.closed_at === null
  const opens = state === 'open' && old.closed_at !== null
  if (closes || opens) news.push({ action: closes ? 'closed' : 'reopened' })
  if (news.length === 0 && next.ref === old.ref) return news
  await updateIssue(tx, old.id, { ...next, closed_at: closes ? tx.now : opens ? null : old.closed_at })
  return news
}
