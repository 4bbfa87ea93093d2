import { lineOf } from '../../actions/runner/workflow-command.ts'
import { type Html, html, type Piece } from '../html.ts'

export const kindNames = { error: 'Error', warning: 'Warning', notice: 'Notice' } as const

/** Lines of a log for readers: groups that open, highlighted errors and warnings, no debug lines. */
export function logText(stored: readonly string[]): Html {
  const groups: { title: string; pieces: Piece[] }[] = []
  const all: Piece[] = []
  const close = () => {
    const group = groups.pop()
    if (group)
      all.push(html`<details class="log-group"><summary>${group.title}</summary>${group.pieces}</details>`)
  }
  for (const line of stored) {
    const { command, place, text } = lineOf(line)
    // As on other forges, groups are not nested: another one ends the one before.
    if (command === 'group' || command === 'endgroup') close()
    if (command === 'group') groups.push({ title: text, pieces: [] })
    if (command === 'group' || command === 'endgroup' || command === 'debug') continue
    const pieces = groups.at(-1)?.pieces ?? all
    if (command === '') pieces.push(html`${text}\n`)
    else
      pieces.push(
        html`<span class="log-${command}"><b>${kindNames[command]}:</b> ${text}${place === '' ? undefined : html` <code>${place}</code>`}\n</span>`,
      )
  }
  close()
  return html`${all}`
}
