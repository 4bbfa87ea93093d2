import { listedWorkflows } from '../../forge/actions/workflow-reading.ts'
import type { OnRepository } from '../../forge/repos/access.ts'
import { toolsFor } from '../../forge/route.ts'
import { Problem } from '../../http/route/problem.ts'
import type { HandlerBase } from '../../http/route/route.ts'
import { buttonForm } from '../form.ts'
import { type Html, html, withQuery } from '../html.ts'
import { card } from '../layout.ts'
import { rowOf } from '../list.ts'
import type { PageTools } from '../route.ts'

/**
 * The workflows of the default branch, with what those who may write do with them; nothing if there are none, or they cannot
 * be read now.
 */
export async function workflowsCard(
  { sql, from, tools }: Pick<HandlerBase<PageTools>, 'sql' | 'from' | 'tools'>,
  { id, owner, name }: OnRepository['repo'],
): Promise<Html | undefined> {
  try {
    const workflows = await listedWorkflows(sql, toolsFor(from, tools), id)
    const address = `${from.host}${owner.name}/${name}/actions`
    if (workflows.length === 0) return undefined
    return card('workflows', 'Workflows')`<ul class="list">${workflows.map(({ file, isDisabled, mayStart }) =>
      rowOf(
        html`<a href="${withQuery(address, { workflow: file })}">${file}</a>`,
        isDisabled ? html`<span class="badge">disabled</span>` : undefined,
        html`${mayStart && !isDisabled ? html`<a class="button quiet small" href="${address}/start/${encodeURIComponent(file)}" aria-label="Start ${file}">Start</a> ` : undefined}${switchForm(address, file, isDisabled)}`,
      ),
    )}
</ul>`
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}

const switchForm = (address: string, file: string, isDisabled: boolean) =>
  isDisabled
    ? buttonForm(address, 'Enable', `Enable ${file}`, { action: 'enable', workflow: file })
    : buttonForm(address, 'Disable', `Disable ${file}`, { action: 'disable', workflow: file })
