import { type StoredSummary, summariesOf } from '../../forge/artifacts/summary-store.ts'
import type { OnRepository } from '../../forge/repos/access.ts'
import { type Html, html } from '../html.ts'
import { type RenderContext, rendered } from '../rendered.ts'

/** Bytes of what steps have written that one page shows. */
const maximum = 1024 * 1024

/**
 * What the steps of an attempt of a run have written for readers, or those of one of its jobs; undefined if nothing.
 * The script replaces the content of parts.
 */
export async function summariesIn(
  context: RenderContext & { caller: OnRepository },
  of: Parameters<typeof summariesOf>[1],
): Promise<Html | undefined> {
  const rows = await summariesOf(context.sql, of, maximum)
  if (rows.length === 0) return undefined
  const sections: Html[] = []
  for (const row of rows) sections.push(await summarySection(context, row, of.job === undefined))
  return html`${sections}`
}

async function summarySection(
  { caller: { repo }, ...context }: RenderContext & { caller: OnRepository },
  { job_id, job_name, step, step_name, content }: StoredSummary,
  withJob: boolean,
): Promise<Html> {
  const place = { context: `${repo.owner.name}/${repo.name}`, owner: repo.owner.id }
  const shown = await rendered(context, { text: content, mode: 'comment', ...place })
  const id = `summary-${job_id}-${step}`
  return html`<section class="card rendered" aria-label="Summary of ${step_name}" id="${id}" data-part>
<p class="meta">${withJob ? html`${job_name} · ` : undefined}${step_name}</p>
${shown ?? html`<pre>${content}</pre>`}
</section>`
}
