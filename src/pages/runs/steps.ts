import { lineOf } from '../../actions/runner/workflow-command.ts'
import { type Html, html } from '../html.ts'
import { durationOf } from './duration.ts'
import { logText } from './log-text.ts'
import { stateOf } from './run-state.ts'
import type { Section } from './sections.ts'

/** A step that opens and shows its part of the log. The script replaces the content of parts. */
export function stepSection(section: Section, address: string, now: Date): Html {
  const { name, title, step, isOpen, isFault } = section
  return html`<details class="step" id="step-${name}"${isOpen ? html` open` : undefined}${isFault ? html` data-fault` : undefined}>
<summary><span>${title}</span> <span id="step-${name}-state" data-part>${step && html`${durationOf(step, now)} ${stateOf(step)}`}</span></summary>
<div id="step-${name}-log" data-part>${logOf(section, address)}</div>
</details>`
}

function logOf({ name, lines, isCut }: Section, address: string): Html {
  const link = (text: string, to: string) => html`<p class="meta"><a href="${address}${to}">${text}</a></p>`
  if (!lines) return link('Show its log', `?step=${name}#step-${name}`)
  if (lines.length === 0) return html`<p class="empty">It has written nothing.</p>`
  return html`${isCut ? link('This is its end: download the whole log', '/logs') : undefined}
<div class="log">${logText(lines)}</div>`
}

/** How many errors a page repeats at its top. */
const maxErrors = 5

/** Where the job has failed first, with the errors that the step has reported; undefined if it has not failed. */
export function faultOf(sections: readonly Section[]): Html | undefined {
  const section = sections.find(({ isFault }) => isFault)
  if (!section) return undefined
  const errors = (section.lines ?? []).map(lineOf).filter(({ command }) => command === 'error')
  const word = section.step?.conclusion === 'cancelled' ? 'was cancelled' : 'failed'
  return html`<div class="notice bad run-fault"><a href="#step-${section.name}">${section.title}</a> ${word}${errors.length === 0 ? '.' : ':'}
${errors.length === 0 ? undefined : html`<ul>${errors.slice(0, maxErrors).map(({ text, place }) => html`<li>${text}${place === '' ? undefined : html` <code>${place}</code>`}</li>`)}</ul>`}</div>`
}
