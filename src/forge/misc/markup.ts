import * as v from 'valibot'
import type { Sql } from '../../db/sql.ts'
import { busy, Problem } from '../../http/route/problem.ts'
import type { Origin } from '../../http/server/origin.ts'
import { mentionedNames, type RenderProblem, type RenderRequest } from '../../render/renderer.ts'
import { type SignedIn, signedIn } from '../auth/access.ts'
import { describedField, flag, text, unstoredOption } from '../protocol/fields.ts'
import { type ForgeTools, route } from '../route.ts'

/**
 * The limit of the body, larger than for other routes: documents of 8 MiB may be rendered, and JSON escapes many
 * characters in six bytes.
 */
const largestBody = 48 * 1024 * 1024

const html = {
  media: 'text/html; charset=utf-8',
  returns: [200, v.string()],
  fails: [422, 503],
  largestBody,
} as const
const markdownMembers = {
  Text: describedField(text(), 'What is rendered'),
  Mode: describedField(
    text(),
    'Dialect: `gfm`, `comment`, `wiki`, `file`, or `markdown`, which an empty one means too',
  ),
  Context: describedField(
    text(),
    'Repository as `owner/name`, or its address: what `#1` and relative links are about',
  ),
  Wiki: describedField(flag(), 'Whether it is a page of a wiki, which decides where relative links lead'),
}

const MarkdownOption = unstoredOption('MarkdownOption', markdownMembers)
const MarkupOption = unstoredOption('MarkupOption', {
  ...markdownMembers,
  FilePath: describedField(
    text(),
    'Name of the file, whose ending decides how it is read in the mode `file`',
  ),
})

const renderMarkdown = route('POST /markdown', {
  operationId: 'renderMarkdown',
  ...html,
  summary: 'Markdown as HTML',
  access: signedIn(),
  body: MarkdownOption,
  handler: ({ body, ...context }) => rendered(context, { filePath: '', ...requestOf(body) }),
})

const renderRaw = route('POST /markdown/raw', {
  operationId: 'renderMarkdownRaw',
  ...html,
  summary: 'Markdown as HTML, without anything of the forge',
  access: signedIn(),
  body: v.optional(v.string(), ''),
  accepts: ['text/plain'],
  handler: ({ body, ...context }) =>
    rendered(context, { text: body, mode: '', wiki: false, context: '', filePath: '' }),
})

const renderMarkup = route('POST /markup', {
  operationId: 'renderMarkup',
  ...html,
  summary: 'A file as HTML, by its name',
  access: signedIn(),
  body: MarkupOption,
  handler: ({ body, ...context }) => rendered(context, { filePath: body.FilePath, ...requestOf(body) }),
})

export const markupRoutes = [renderMarkdown, renderRaw, renderMarkup]

type RenderInput = Omit<RenderRequest, 'host' | 'knownAccounts' | 'decorate'>

const requestOf = (body: v.InferOutput<typeof MarkdownOption>) => ({
  text: body.Text,
  mode: body.Mode,
  wiki: body.Wiki,
  context: body.Context,
})

/** @throws Problem 422 cannot be rendered, 503 too many are being rendered */
async function rendered(
  { sql, tools, from, caller }: { sql: Sql; tools: ForgeTools; from: Origin; caller: SignedIn },
  input: RenderInput,
): Promise<string> {
  const knownAccounts = await publicAccounts(sql, input)
  const outcome = await tools.renderer.render(
    { host: from.host, knownAccounts, decorate: true, ...input },
    caller.me.id,
    from.gone,
  )
  if ('html' in outcome) return outcome.html
  throw refusal(outcome.problem)
}

/** The public accounts that a text mentions; the plain mode has no mentions. */
export async function publicAccounts(
  sql: Sql,
  { text, mode, wiki }: Pick<RenderInput, 'text' | 'mode' | 'wiki'>,
): Promise<string[]> {
  if (!wiki && (mode === '' || mode === 'markdown')) return []
  const names = mentionedNames(text)
  return names.length === 0 ? [] : publicNames(sql, names)
}

function refusal({ reason, message, log }: RenderProblem): Problem {
  if (reason === 'busy') return busy(message, log)
  return new Problem(reason === 'failed' ? 500 : 422, message, { log, form: 'text' })
}

async function publicNames(sql: Sql, keys: readonly string[]): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select name
    from forge.account
    where key = any(${[...keys]}::text[]) and visibility = 'public'`
  return rows.map(({ name }) => name)
}
