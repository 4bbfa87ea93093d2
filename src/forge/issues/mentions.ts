import { busy } from '../../http/route/problem.ts'
import { mentionedNames } from '../../render/renderer.ts'
import type { TrackerContext } from './events.ts'

/**
 * The names that a new text mentions, in lower case: exactly the accounts and teams that it links when it is rendered. A
 * text that cannot be rendered mentions nobody. An edit notifies nobody, as in Gitea.
 * @throws Problem 503 too many texts are being rendered
 */
export async function mentionedIn(context: TrackerContext, texts: readonly string[]): Promise<string[]> {
  const names = await Promise.all(texts.map((text) => namesIn(context, text)))
  return [...new Set(names.flat())]
}

async function namesIn({ tools, from, caller }: TrackerContext, text: string): Promise<readonly string[]> {
  const knownAccounts = mentionedNames(text)
  if (knownAccounts.length === 0) return []
  const where = { mode: 'comment', wiki: false, filePath: '', context: '', host: from.host, decorate: false }
  const outcome = await tools.renderer.render({ ...where, text, knownAccounts }, caller.me.id)
  if (outcome.ok) return outcome.value.mentions
  const { reason, message, log } = outcome.fault
  if (reason === 'busy') throw busy(message, log)
  return []
}
