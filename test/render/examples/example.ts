import type { RenderRequest } from '../../../src/render/request.ts'

/** One line of the table: a text, how it is rendered, and what comes out (without the final line feed). */
export interface Example {
  readonly name: string
  readonly text: string
  readonly request: Partial<RenderRequest>
  readonly html: string
  /** Why our result is not the one of the forge we are compatible with; `html` is ours. */
  readonly differs?: string
}

export const root = 'http://localhost:3000'
export const repo = `${root}/user2/repo1`
export const accounts = ['user4', 'user2']
export const wiki = { wiki: true, context: '/user2/repo1', knownAccounts: accounts }
export const gfm = { mode: 'gfm', context: '/user2/repo1/src/branch/main' }
export const comment = { mode: 'comment', context: 'user2/repo1', knownAccounts: accounts }
export const raw = { mode: 'markdown' }
export const loose = { mode: 'comment' }
export const file = (filePath: string, context = '/user2/repo1/src/branch/main') => ({
  mode: 'file',
  filePath,
  context,
})

export const hash = '0123456789012345678901234567890123456789'
export const base = `88fc37a3c011111111112222222222333333333a`
export const head = `12fc37a3c011111111112222222222333333333b`
export const code = (language: string, inside: string) =>
  `<div class="code-block-container code-overflow-scroll"><pre class="code-block"><code class="chroma language-${language} display">${inside}</code></pre></div>`
export const link = (href: string, label: string) => `<p><a href="${href}" rel="nofollow">${label}</a></p>`
export const plain = (text: string) => ({ text, html: `<p>${text}</p>` })

export const iconless = 'the icons are our own drawings'
export const svg = (kind: string, path: string) =>
  `<svg class="${kind}" viewBox="0 0 16 16" ${kind.includes('table') ? 'width="12" height="12"' : 'width="16" height="16"'} aria-hidden="true"><path fill-rule="evenodd" d="${path}"></path></svg>`
export const info = svg(
  'attention-icon attention-note svg octicon-info',
  'M8 1a7 7 0 1 1 0 14A7 7 0 0 1 8 1Zm0 1.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM7.2 7h1.6v5H7.2ZM7.2 4h1.6v1.6H7.2Z',
)
export const tableIcon = svg(
  'svg octicon-table',
  'M1 2h14v12H1Zm1.5 1.5v2h11v-2Zm0 3.5v2h4.8V7Zm6.3 0v2h4.7V7Zm-6.3 3.5v2h4.8v-2Zm6.3 0v2h4.7v-2Z',
)
