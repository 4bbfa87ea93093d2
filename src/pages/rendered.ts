import type { Sql } from '../db/sql.ts'
import { publicAccounts } from '../forge/misc/public-accounts.ts'
import type { RenderMode, RenderOutcome } from '../render/request.ts'
import { Html } from './html.ts'
import type { PageTools } from './route.ts'

/** A text that a user wrote. */
interface Text {
  text: string
  mode: RenderMode
  /** Where its relative links lead: `owner/repo`, or `owner/repo/src/branch/main`. */
  context: string
  /** The name of the file, in mode `file`. */
  filePath?: string
  /** The account whose turn it is to use the rendering threads. */
  owner: number
}

/** What rendering needs of a request. */
export interface RenderContext {
  sql: Sql
  tools: PageTools
  from: { host: string; gone: AbortSignal }
}

/** A text as markup; undefined if it cannot be rendered: the page then shows the text itself. */
export async function rendered(
  { sql, tools, from }: RenderContext,
  { owner, filePath = '', ...text }: Text,
): Promise<Html | undefined> {
  const { host, gone } = from
  const knownAccounts = await publicAccounts(sql, { ...text, wiki: false })
  const request = { ...text, filePath, host, knownAccounts, wiki: false, decorate: true }
  return markupOf(await tools.renderer.render(request, owner, gone))
}

/** The lines of a file in colours, each complete in itself; undefined if that is not possible. */
export async function highlighted(
  { tools, from: { gone } }: RenderContext,
  { text, path, owner }: { text: string; path: string; owner: number },
): Promise<Html[] | undefined> {
  const outcome = await tools.renderer.render({ text, sourcePath: path }, owner, gone)
  return outcome.ok ? outcome.value.html.split('\n').map((line) => new Html(line)) : undefined
}

/** What the renderer has made of a text; it reduces markup to an allow-list. Undefined if it cannot be rendered. */
export const markupOf = (outcome: RenderOutcome): Html | undefined =>
  outcome.ok ? new Html(forReaders(outcome.value.html)) : undefined

/**
 * What keyboards and screen readers need besides the markup of the original: wide code can be scrolled, boxes of tasks
 * have a name. Texts and attributes have `&lt;`, so that each `<` begins a tag.
 */
const forReaders = (markup: string) =>
  markup.replace(/<pre\b/g, '<pre tabindex="0"').replace(/<input\b/g, '<input aria-label="Done"')
