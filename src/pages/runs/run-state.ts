import { type Html, html } from '../html.ts'

interface State {
  status: string
  conclusion?: string | null | undefined
}

/** Status and conclusion as one word; what the API calls requested waits for other jobs. */
export const wordOf = ({ status, conclusion }: State) =>
  (conclusion || status).replace('requested', 'waiting').replaceAll('_', ' ')

/** The same with a colour that repeats it. */
export function stateOf(state: State): Html {
  const word = wordOf(state)
  const tone = word === 'success' ? ' good' : word === 'failure' ? ' bad' : ''
  return html`<span class="badge${tone}">${word}</span>`
}
