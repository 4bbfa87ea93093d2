import { annotationsOf, type StoredAnnotation } from '../../actions/runner/annotation-store.ts'
import { lineOf } from '../../actions/runner/workflow-command.ts'
import type { Sql } from '../../db/sql.ts'
import { counted, type Html, html } from '../html.ts'
import { card } from '../layout.ts'
import { kindNames } from './log-text.ts'

/** How many annotations one page shows. */
const maximum = 50

/**
 * The errors, warnings and notices that the jobs of an attempt of a run have written, or one of them; undefined if there
 * are none. `address`: of the run, without a slash at its end.
 */
export async function annotationsIn(
  sql: Sql,
  of: Parameters<typeof annotationsOf>[1],
  address: string,
): Promise<Html | undefined> {
  const rows = await annotationsOf(sql, of, maximum)
  if (rows.length === 0) return undefined
  const heading = rows.length < maximum ? counted(rows.length, 'annotation') : `${maximum} annotations`
  return card(
    'annotations',
    heading,
  )`<ul class="list" id="annotation-list" data-part>${rows.map((row) => entry(row, of.job === undefined, address))}
</ul>`
}

function entry(
  { job_id, job_name, step, kind, content }: StoredAnnotation,
  withJob: boolean,
  address: string,
): Html {
  const { text, place } = lineOf(content)
  const link = `${address}/jobs/${job_id}${step === null ? '' : `?step=${step}#step-${step}`}`
  const from = withJob ? job_name : 'log'
  return html`
<li><p class="prose-text"><b>${kindNames[kind]}:</b> ${text}${place === '' ? undefined : html` <code>${place}</code>`}</p>
<p class="meta"><a href="${link}">${from}</a></p></li>`
}
