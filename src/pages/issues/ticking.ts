import type { Sql, Tx } from '../../db/sql.ts'
import { lockIssue } from '../../forge/issues/issue-store.ts'
import type { SignedInOnRepository } from '../../forge/repos/access.ts'
import { badRequest, conflict } from '../../http/route/problem.ts'
import type { Fields } from '../form.ts'
import type { Asked, Call } from '../operations/form.ts'
import type { OnRequest } from '../operations/perform.ts'
import type { Refusal } from '../operations/refusal.ts'
import { rendered } from '../rendered.ts'
import { editOf, type TextParams, textOf } from './edited-text.ts'
import { textPlaceOf } from './issue-context.ts'
import { boxes, digestOf, positionIn, possibleTasks, type Task } from './tasks.ts'

/** A box that somebody has ticked: where it stands, what it becomes, and the line on which the reader saw it. */
const tickPattern = /^(\d{1,9})\.(on|off)\.([\w-]{16})$/

const gone: Refusal = { sentence: 'somebody has changed this task since; it is shown as it is now' }

/** A text with tasks, which is read again when it is locked. */
interface TickedText {
  /** @throws Problem 403 the caller may not change it, 404 */
  read: (sql: Sql) => Promise<{ body: string; page: string }>
  /** What is locked while it changes. */
  lock: (tx: Tx) => Promise<unknown>
  /** The call that changes it. */
  call: (body: string) => Call
}

/** What the form of a box asks for: the same text with this box changed. @throws Problem 400, 403, 404 */
export async function askedToTick(
  caller: SignedInOnRepository & OnRequest,
  { task = '' }: Fields,
  { read, lock, call }: TickedText,
): Promise<Asked | Refusal> {
  const [, position, wanted, line] = tickPattern.exec(task) ?? []
  if (wanted === undefined) throw badRequest('the form names no task')
  const { body, page } = await read(caller.request.sql)
  const found = possibleTasks(body).get(Number(position))
  if (!found || digestOf(found.line) !== line || !(await isTask(caller, body, found))) return gone
  // It was sent twice, or somebody else did the same.
  if (found.isOn === (wanted === 'on')) return { calls: [], leadsTo: page }
  const changed = `${body.slice(0, found.at)}[${wanted === 'on' ? 'x' : ' '}]${body.slice(found.at + 3)}`
  const check = async (tx: Tx) => {
    await lock(tx)
    if ((await read(tx)).body !== body)
      throw conflict('somebody has changed the text just now; tick it again')
  }
  return { calls: [call(changed)], isAtomic: true, check, leadsTo: page }
}

/** The text of an issue, or of a comment on it. */
export function tickedTextOf(
  caller: SignedInOnRepository,
  index: number,
  comment: string | undefined,
): TickedText {
  const params: TextParams = { index: String(index), ...(comment !== undefined && { id: comment }) }
  return {
    read: (sql) => textOf(sql, caller, params),
    lock: (tx) => lockIssue(tx, caller.repo.id, index),
    call: (body) => editOf(caller, params, { body }),
  }
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
