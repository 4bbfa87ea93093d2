import { type InputSpec, resolveInputs } from '../../actions/workflow/inputs.ts'
import { type StartableWorkflow, startableWorkflow } from '../../forge/actions/workflow-reading.ts'
import type { SignedInOnRepository } from '../../forge/repos/access.ts'
import { type Code, gitValue, openCode } from '../../forge/repos/code.ts'
import { toolsFor } from '../../forge/route.ts'
import { newestRefs } from '../../git/repository/cache/newest-refs.ts'
import { found } from '../../http/route/problem.ts'
import type { HandlerBase } from '../../http/route/route.ts'
import { choice, type Fields, field, opened } from '../form.ts'
import { type Html, html } from '../html.ts'
import { card } from '../layout.ts'
import { noticeOf } from '../operations/fields.ts'
import { newFormId } from '../operations/once.ts'
import type { Refusal } from '../operations/refusal.ts'
import { programLines } from '../program-lines.ts'
import { repositoryPage } from '../repositories/repository-page.ts'
import type { PageTools } from '../route.ts'

/** What the names of the fields of inputs begin with. */
export const inputPrefix = 'input-'

/** How many branches, and tags, a form offers. */
const maxRefs = 50

type Context = HandlerBase<PageTools> & { caller: SignedInOnRepository }

interface Shown {
  values: Fields
  refusal?: Refusal
}

/** The form that starts a workflow. @throws Problem 404 it is neither at the ref nor at the default branch, 503 */
export async function startPage(context: Context, file: string, { values, refusal }: Shown): Promise<string> {
  const { sql, from, tools, caller } = context
  const code = await openCode(context)
  const usual = `refs/heads/${code.row.default_branch}`
  const ref = values.ref || usual
  const read = (at: string) =>
    startableWorkflow(sql, toolsFor(from, tools), caller.repo.id, { name: file, ref: at })
  const workflow = await read(ref.startsWith('refs/') ? ref : `refs/heads/${ref}`)
  const shown = workflow ?? found(ref === usual ? undefined : await read(usual))
  const reason = workflow ? whyNot(workflow, caller) : 'That branch or tag does not have this workflow.'
  const address = `${code.home}/actions/start/${encodeURIComponent(file)}`
  const main = html`${noticeOf(undefined, refusal)}
${card(
  'start',
  `Start ${shown.name}`,
)`<p class="meta">${file} · <a href="${code.home}/actions?workflow=${encodeURIComponent(file)}">Its runs</a></p>
<form class="search" action="${address}">
${choice({ name: 'ref', label: 'Branch or tag', value: ref, options: await refsOf(code, ref) })}
<button class="quiet small">Choose</button>
</form>
${reason && html`<p class="notice bad">${reason}</p>`}
${opened(address, { ...newFormId(), ref })}
${(shown.inputs ?? []).map((input, at) => inputField(input, `input-${at}`, values))}
${reason === undefined ? html`<button>Start on ${shortName(ref)}</button>` : undefined}
</form>`}
${card('program', 'By a program')`${programLines('start a workflow', 'A program starts it so:', { api: code.api, file, ref, inputs: resolveInputs(shown.inputs ?? [], {}) })}`}`
  return repositoryPage({
    ...{ host: from.host, sql, caller, main },
    current: 'actions',
    title: `Start ${shown.name}`,
  })
}

const shortName = (ref: string) => ref.replace(/^refs\/(?:heads|tags)\//, '')

/** Why a workflow cannot start; undefined if it can. */
function whyNot({ isDisabled, fault, inputs }: StartableWorkflow, { repo }: Context['caller']) {
  if (repo.is_archived) return 'The repository is archived.'
  if (isDisabled) return 'This workflow is disabled.'
  if (fault !== undefined) return `The file has a fault: ${fault}.`
  return inputs ? undefined : 'Its file has no workflow_dispatch among its events.'
}

/** The newest branches and tags by their full names, and the one that is chosen. @throws Problem 404, 503 */
async function refsOf(code: Code, chosen: string): Promise<(readonly [string, string])[]> {
  const refs = await Promise.all(
    (['heads', 'tags'] as const).map(async (kind) =>
      gitValue(await newestRefs(code, kind, maxRefs)).map(({ name }): readonly [string, string] => [
        `refs/${kind}/${name}`,
        kind === 'heads' ? name : `${name} (tag)`,
      ]),
    ),
  )
  const all = refs.flat()
  return all.some(([ref]) => ref === chosen) ? all : [[chosen, chosen], ...all]
}

/** The field of an input, with what was written or its default. */
function inputField(input: InputSpec, id: string, values: Fields): Html {
  const { type, description, isRequired, options } = input
  const name = `${inputPrefix}${input.name}`
  const value = values[name] ?? input.default
  const label = description || input.name
  const about = { name, id, label, value, ...(description && { hint: input.name }) }
  if (type === 'boolean') return choice({ ...about, value: value || 'false', options: booleans })
  if (options.length > 0) return choice({ ...about, options: withEmpty(options, isRequired || value !== '') })
  return field({
    ...about,
    type: type === 'number' ? 'number' : 'text',
    isOptional: !isRequired,
    autocomplete: 'off',
  })
}

const booleans = { true: 'Yes', false: 'No' }

const withEmpty = (options: readonly string[], isChosen: boolean) =>
  [...(isChosen ? [] : ['']), ...options].map((option) => [option, option] as const)
