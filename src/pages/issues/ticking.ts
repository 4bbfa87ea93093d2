import type { Tx } from '../../db/sql.ts'
import { lockIssue } from '../../forge/issues/issue-store.ts'
import type { SignedInOnRepository } from '../../forge/repos/access.ts'
import { badRequest, conflict } from '../../http/route/problem.ts'
import type { Fields } from '../form.ts'
import type { Asked } from '../operations/form.ts'
import type { OnRequest } from '../operations/perform.ts'
import type { Refusal } from '../operations/refusal.ts'
import { rendered } from '../rendered.ts'
import { editOf, type TextParams, textOf } from './edited-text.ts'
import { textPlaceOf } from './issue-context.ts'
import { boxes, digestOf, positionIn, possibleTasks, type Task } from './tasks.ts'

/** A box that somebody has ticked: where it stands, what it becomes, and the line on which the reader saw it. */
const tickPattern = /^(\d{1,9})\.(on|off)\.([\w-]{16})$/

const gone: Refusal = { sentence: 'somebody has changed this task since; it is shown as it is now' }

/** What the form of a box asks for: the same text with this box changed. @throws Problem 400, 403, 404 */
export async function askedToTick(
  caller: SignedInOnRepository & OnRequest,
  { task = '', comment }: Fields,
  index: number,
): Promise<Asked | Refusal> {
  const [, position, wanted, line] = tickPattern.exec(task) ?? []
  if (wanted === undefined) throw badRequest('the form names no task')
  const params: TextParams = { index: String(index), ...(comment !== undefined && { id: comment }) }
  const { body, page } = await textOf(caller.request.sql, caller, params)
  const found = possibleTasks(body).get(Number(position))
  if (!found || digestOf(found.line) !== line || !(await isTask(caller, body, found))) return gone
  // It was sent twice, or somebody else did the same.
  if (found.isOn === (wanted === 'on')) return { calls: [], leadsTo: page }
  const changed = `${body.slice(0, found.at)}[${wanted === 'on' ? 'x' : ' '}]${body.slice(found.at + 3)}`
  const check = async (tx: Tx) => {
    await lockIssue(tx, caller.repo.id, index)
    if ((await textOf(tx, caller, params)).body !== body)
      throw conflict('somebody has changed the text just now; tick it again')
  }
  return { calls: [editOf(caller, params, { body: changed })], isAtomic: true, check, leadsTo: page }
}

/** Whether the renderer shows a box there: not in code, for instance. */
async function isTask(
  caller: SignedInOnRepository & OnRequest,
  text: string,
  { position }: Task,
): Promise<boolean> {
  const markup = await rendered(caller.request, { text, mode: 'comment', ...textPlaceOf(caller) })
  return [...(markup?.text.matchAll(boxes) ?? [])].some(([tag]) => positionIn(tag) === String(position))
}
