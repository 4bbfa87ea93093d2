import type { Issue } from '../../forge/issues/issue.shape.ts'
import { Html, html } from '../html.ts'

/** The states of issues and pull requests, each with its word, its colour, and its sign: colours alone say nothing to some. */
const states = {
  open: ['Open', 'good', '<circle cx="8" cy="8" r="6"/><circle cx="8" cy="8" r="1"/>'],
  closed: ['Closed', 'bad', '<circle cx="8" cy="8" r="6"/><path d="m5.5 8 2 2 3.5-4"/>'],
  proposed: [
    'Open',
    'good',
    '<circle cx="4" cy="3.5" r="1.8"/><circle cx="4" cy="12.5" r="1.8"/><circle cx="12" cy="12.5" r="1.8"/><path d="M4 5.5v5M12 10.5V6a2.5 2.5 0 0 0-2.5-2.5H8M9.5 1.5l-2 2 2 2"/>',
  ],
  draft: [
    'Draft',
    '',
    '<circle cx="4" cy="3.5" r="1.8"/><circle cx="4" cy="12.5" r="1.8"/><circle cx="12" cy="12.5" r="1.8"/><path d="M4 5.5v5M12 3v1.5M12 7v1.5"/>',
  ],
  merged: [
    'Merged',
    'merged',
    '<circle cx="4" cy="3.5" r="1.8"/><circle cx="4" cy="12.5" r="1.8"/><circle cx="12" cy="8.5" r="1.8"/><path d="M4 5.5v5M4 5.5c.5 2 2.5 3 6 3"/>',
  ],
  declined: [
    'Closed',
    'bad',
    '<circle cx="4" cy="3.5" r="1.8"/><circle cx="4" cy="12.5" r="1.8"/><circle cx="12" cy="12.5" r="1.8"/><path d="M4 5.5v5M12 10.5v-3M10 2l4 4M14 2l-4 4"/>',
  ],
} as const satisfies Readonly<Record<string, readonly [word: string, tone: string, sign: string]>>

/** What has a state: an issue, a pull request, a milestone. */
interface Stated {
  state: Issue['state']
  pull_request?: { merged: boolean; draft?: boolean } | null
}

/** The state of an issue, a milestone or a pull request as a badge with a sign. */
export function stateBadge(issue: Stated): Html {
  const [word, tone, sign] = states[stateOf(issue)]
  return html`<span class="badge state ${tone}">${drawn(sign)} ${word}</span>`
}

/** The same as a sign alone, whose word is only heard: for lists, in which most have one state. */
export function stateSign(issue: Stated): Html {
  const [word, tone, sign] = states[stateOf(issue)]
  return html`<span class="state-sign ${tone}" title="${word}">${drawn(sign)}<span class="hidden-words">${word}:</span></span>`
}

const drawn = (sign: string) =>
  html`<svg class="sign" viewBox="0 0 16 16" aria-hidden="true">${new Html(sign)}</svg>`

function stateOf({ state, pull_request: pull }: Stated): keyof typeof states {
  if (!pull) return state
  if (pull.merged) return 'merged'
  if (state === 'closed') return 'declined'
  return pull.draft ? 'draft' : 'proposed'
}
