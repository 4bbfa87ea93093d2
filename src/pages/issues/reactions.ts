import { REACTIONS } from '../../forge/issues/reaction.shape.ts'
import { hiddenFields, opener } from '../form.ts'
import { type Html, html } from '../html.ts'

/** A reaction to a text: how many have it, and whether the reader is one of them. */
export interface CountedReaction {
  content: string
  count: number
  is_own: boolean
}

/** The reactions as people know them. */
const signs: Readonly<Record<string, string>> = {
  '+1': '👍',
  '-1': '👎',
  laugh: '😄',
  hooray: '🎉',
  confused: '😕',
  heart: '❤️',
  rocket: '🚀',
  eyes: '👀',
}

const signOf = (content: string) => signs[content] ?? content

/** The reactions to a text. `form`: where one's own are sent, and the comment; absent: the reader cannot react. */
export function reactionsOf(
  reactions: readonly CountedReaction[],
  form?: { address: string; comment: number | undefined },
): Html | undefined {
  if (!form) {
    if (reactions.length === 0) return undefined
    return html`<p>${reactions.map(({ content, count }) => html`<span class="badge" title="${content}">${signOf(content)} ${count}</span> `)}</p>`
  }
  const { address, comment } = form
  const own = ({ content, count, is_own }: CountedReaction) =>
    html`<button class="quiet small" name="${is_own ? 'remove' : 'content'}" value="${content}" aria-pressed="${String(is_own)}" aria-label="${content}, ${count}">${signOf(content)} ${count}</button> `
  const others = REACTIONS.filter((each) => !reactions.some(({ content }) => content === each))
  const offered = others.map(
    (content) =>
      html`<button class="quiet small" name="content" value="${content}" aria-label="${content}">${signOf(content)}</button> `,
  )
  return html`<form class="reactions" method="post" action="${address}" data-then="#${comment === undefined ? 'issue' : `issuecomment-${comment}`}">${hiddenFields({ action: 'react', comment })}${reactions.map(own)}
${offered.length === 0 ? undefined : opener('React', 'React to this', offered)}</form>`
}
