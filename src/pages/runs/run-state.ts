import { type Html, html } from '../html.ts'

/** Where the script says that it keeps a page of a run up to date. */
export const liveNote = html`<p class="live run-live" role="status" id="live-note"></p>`

interface State {
  status: string
  conclusion?: string | null | undefined
}

/** Status and conclusion as one word; a job that the API calls requested waits for other jobs. */
export const wordOf = ({ status, conclusion }: State) =>
  (conclusion || status).replace('requested', 'waiting').replaceAll('_', ' ')

/** The same as a coloured badge. */
export function stateOf(state: State): Html {
  const word = wordOf(state)
  const tone = word === 'success' ? ' good' : word === 'failure' ? ' bad' : ''
  return html`<span class="badge${tone}">${word}</span>`
}
