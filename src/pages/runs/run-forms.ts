import { isFinal } from '../../actions/run/status.ts'
import type { ListedRun, WorkflowRun } from '../../forge/actions/run.shape.ts'
import { permits } from '../../forge/auth/scopes.ts'
import { LEVELS } from '../../forge/permissions/access-level-store.ts'
import type { OnRepository } from '../../forge/repos/access.ts'
import { askedForm, buttonForm } from '../form.ts'
import { type Html, html } from '../html.ts'

/** Whether the caller may do what the operations for runs ask for (`actionsWritten`). */
export const mayControl = ({ me, token, repo }: OnRepository) =>
  me !== undefined && repo.level >= LEVELS.write && (!token || permits(token.scopes, ['repository'], 'write'))

/** What can be done to a run now. */
export function runForms(
  { html_url, status, conclusion, display_title, run_number }: WorkflowRun,
  { needs_approval }: { needs_approval: boolean },
): Html {
  const form = (action: string, text: string) => html`
${buttonForm(html_url, text, text, { action })}`
  const approval = needs_approval ? form('approve', 'Approve and run') : undefined
  if (status !== 'completed') return html`<div class="actions">${approval}${form('cancel', 'Cancel')}</div>`
  const hasFailed = conclusion === 'failure' || conclusion === 'cancelled'
  const deletion = askedForm({
    address: html_url,
    text: 'Delete',
    label: 'Delete this run',
    question: `Delete ${display_title} #${run_number} with its logs and artifacts? Nobody can undo this.`,
    answer: 'Delete the run',
    fields: { action: 'delete' },
  })
  return html`<div class="actions">${hasFailed ? form('rerun-failed-jobs', 'Run failed jobs again') : undefined}${form('rerun', 'Run all jobs again')}${deletion}</div>`
}

/** The button that runs a job of the newest attempt again, when the run has ended. */
export const jobForm = (address: string, { run }: ListedRun, job: { id: number; run_attempt: number }) =>
  isFinal(run.status) && run.attempt === job.run_attempt
    ? html`<div class="actions">${buttonForm(address, 'Run this job again', 'Run this job again, and those that need it', { action: 'rerun-job', job: job.id })}</div>`
    : undefined

export const artifactForm = (address: string, { id, name }: { id: number; name: string }): Html =>
  askedForm({
    address,
    text: 'Delete',
    label: `Delete the artifact ${name}`,
    question: `Delete the artifact ${name}? Nobody can undo this.`,
    answer: 'Delete the artifact',
    fields: { action: 'delete-artifact', artifact: id },
  })
