import * as v from 'valibot'
import type { Sql } from '../../db/sql.ts'
import { busy, Problem } from '../../http/route/problem.ts'
import { textAs } from '../../http/route/sends.ts'
import type { Origin } from '../../http/server/origin.ts'
import type { RenderFault, RenderRequest } from '../../render/renderer.ts'
import { type SignedIn, signedIn } from '../auth/access.ts'
import { type ForgeTools, route } from '../route.ts'
import { MarkdownOption, MarkupOption } from './markup.option.ts'
import { publicAccounts } from './public-accounts.ts'

/**
 * The limit of the body, larger than for other routes: documents of 8 MiB may be rendered, and JSON escapes many
 * characters in six bytes.
 */
const largestBody = 48 * 1024 * 1024

const html = {
  returns: textAs(200, 'text/html; charset=utf-8'),
  fails: [422, 503],
  largestBody,
} as const

export const renderMarkdown = route('POST /markdown', {
  ...html,
  summary: 'Render Markdown as HTML',
  access: signedIn(),
  body: MarkdownOption,
  handler: ({ body, ...context }) => rendered(context, { filePath: '', ...requestOf(body) }),
})

export const renderMarkdownRaw = route('POST /markdown/raw', {
  ...html,
  summary: 'Render Markdown as HTML, without references to the forge',
  access: signedIn(),
  body: v.optional(v.string(), ''),
  accepts: ['text/plain'],
  handler: ({ body, ...context }) =>
    rendered(context, { text: body, mode: '', wiki: false, context: '', filePath: '' }),
})

export const renderMarkup = route('POST /markup', {
  ...html,
  summary: 'Render a file as HTML; its name selects the format',
  access: signedIn(),
  body: MarkupOption,
  handler: ({ body, ...context }) => rendered(context, { filePath: body.FilePath, ...requestOf(body) }),
})

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
  if (outcome.ok) return outcome.value.html
  throw refusal(outcome.fault)
}

function refusal({ reason, message, log }: RenderFault): Problem {
  if (reason === 'busy') return busy(message, log)
  return new Problem(reason === 'failed' ? 500 : 422, message, { log, form: 'text' })
}
