import { createHash } from 'node:crypto'
import { hiddenFields } from '../form.ts'
import { Html, html } from '../html.ts'

// Tasks in texts (`- [ ]`), which whoever may change a text ticks where they stand. The renderer says where the box of each is.

/** The tag of a box; attributes are quoted, and have no quotes in them. */
export const boxes = /<input(?: [\w-]+="[^"]*")*\/?>/g
export const positionIn = (tag: string) => / data-source-position="(\d{1,9})"/.exec(tag)?.[1]

/** A text with more of what may be a task keeps boxes that nobody can press, so that its page stays small. */
const maxTasks = 300

/** Where the boxes of a text are sent. */
export interface Ticking {
  address: string
  /** Absent: the text is that of the issue. */
  comment: number | undefined
  /** What the form says in addition. */
  more?: Readonly<Record<string, string>>
}

/** Makes buttons of the boxes of a rendered text; without its script they are sent like any other. */
export function withTasks(markup: Html, { body, address, comment, more }: Ticking & { body: string }): Html {
  const id = `tasks-${comment ?? 'issue'}`
  if (!markup.text.includes('data-source-position')) return markup
  const tasks = possibleTasks(body)
  if (tasks.size > maxTasks) return markup
  const buttons = markup.text.replace(boxes, (tag) => {
    const task = tasks.get(Number(positionIn(tag)))
    return task ? buttonOf(task, id).text : tag
  })
  const place = comment === undefined ? 'issue' : `issuecomment-${comment}`
  return html`${new Html(buttons)}<form id="${id}" method="post" action="${address}" data-then="#${place}">${hiddenFields({ action: 'tick', comment, ...more })}</form>`
}

const buttonOf = ({ position, isOn, line }: Task, form: string) =>
  html`<button class="task" form="${form}" name="task" value="${[position, isOn ? 'off' : 'on', digestOf(line)].join('.')}" role="checkbox" aria-checked="${String(isOn)}" aria-label="Done"></button>`

export interface Task {
  /** Where its box begins, in bytes of the text as it is rendered. */
  position: number
  /** The same place, in the text. */
  at: number
  isOn: boolean
  /** Its line, as it is without a mark. */
  line: string
}

/** How much of a line tells a task from another one, before its box and after it. */
const toldBy = 200

/**
 * What may be a task in a text, by the position of its box. The renderer counts bytes, reads each end of a line as one, and
 * leaves out a byte order mark (`render/render.ts`).
 */
export function possibleTasks(text: string): ReadonlyMap<number, Task> {
  const tasks = new Map<number, Task>()
  let position = 0
  let from = text.startsWith('\ufeff') ? 1 : 0
  for (const { 0: found, index: at } of text.matchAll(/\r\n|\[[ \txX]\]/g)) {
    position += Buffer.byteLength(text.slice(from, at))
    from = at
    if (found === '\r\n') {
      position += 1
      from += 2
    } else tasks.set(position, { position, at, isOn: /x/i.test(found), line: lineAround(text, at) })
  }
  return tasks
}

function lineAround(text: string, at: number): string {
  const [before = ''] = text
    .slice(Math.max(0, at - toldBy), at)
    .split(/[\r\n]/)
    .slice(-1)
  const [after = ''] = text.slice(at + 3, at + 3 + toldBy).split(/[\r\n]/, 1)
  return `${before}[ ]${after}`
}

export const digestOf = (line: string) => createHash('sha256').update(line).digest('base64url').slice(0, 16)
