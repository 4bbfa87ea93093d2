import { repoCreateBranch, repoDeleteBranch, repoRenameBranch } from '../../forge/code/branches.ts'
import { repoCreateTag, repoDeleteTag } from '../../forge/code/tags.ts'
import type { SignedInOnRepository } from '../../forge/repos/access.ts'
import { askedForm, type Fields, opened, opener, unknownAction } from '../form.ts'
import { type Html, html } from '../html.ts'
import { describedFields, type FieldDescription, valuesIn } from '../operations/described.ts'
import type { Asked, Call } from '../operations/form.ts'
import type { Blame, Refusal } from '../operations/refusal.ts'

// The forms that create, rename and delete branches and tags.

type Kind = 'branch' | 'tag'

interface At {
  address: string
  kind: Kind
  /** A form as it was sent. */
  values: Fields
  refusal: Refusal | undefined
}

const branchFields: readonly FieldDescription[] = [
  { name: 'new_branch_name', label: 'Name' },
  {
    name: 'old_ref_name',
    label: 'From',
    hint: 'A branch, tag or commit; empty: the default branch',
    isOptional: true,
  },
]

const tagFields: readonly FieldDescription[] = [
  { name: 'tag_name', label: 'Name', hint: 'Such as v1.0.0' },
  {
    name: 'target',
    label: 'At',
    hint: 'A branch, tag or commit; empty: the default branch',
    isOptional: true,
  },
  { name: 'message', label: 'Message', hint: 'Makes it an annotated tag', kind: 'long', isOptional: true },
]

const renameFields: readonly FieldDescription[] = [{ name: 'name', label: 'New name' }]

const creation = { branch: branchFields, tag: tagFields } as const

/** What a page says when a form is done. */
export const refNotices: Readonly<Record<Kind, Readonly<Record<string, string>>>> = {
  branch: {
    created: 'The branch was created.',
    renamed: 'The branch was renamed, with its rule.',
    deleted: 'The branch was deleted.',
  },
  tag: { created: 'The tag was created.', deleted: 'The tag was deleted.' },
}

/** The form that creates a branch or tag. */
export function newRefForm({ address, kind, values, refusal }: At, defaultBranch: string): Html {
  const isSent = values.action === 'create'
  const start = { old_ref_name: defaultBranch, target: defaultBranch }
  return html`<div class="actions above">${opener(
    `New ${kind}`,
    `New ${kind}`,
    html`${opened(address, { action: 'create' })}
${describedFields(creation[kind], isSent ? { values, refusal } : { values: start })}
<button>Create the ${kind}</button></form>`,
    isSent,
  )}</div>`
}

/** The forms that rename and delete one; the default branch can only be renamed. */
export function refForms({ address, kind, values, refusal }: At, name: string, defaultBranch: string): Html {
  const isSent = values.action === 'rename' && values.ref === name
  const written = isSent ? { values, refusal } : { values: { name } }
  const renaming = opener(
    'Rename',
    `Rename ${name}`,
    html`${opened(address, { action: 'rename', ref: name })}
${describedFields(renameFields, { ...written, prefix: `${name}-` })}
<button class="small">Rename it</button></form>`,
    isSent,
  )
  const deletion = askedForm({
    address,
    text: 'Delete',
    label: `Delete ${name}`,
    question: `Delete the ${kind} ${name}? Commits that only it has are lost.`,
    answer: `Delete the ${kind}`,
    fields: { action: 'delete', ref: name },
  })
  return html`${kind === 'branch' ? renaming : undefined}${name === defaultBranch && kind === 'branch' ? undefined : deletion}`
}

const blame: Readonly<Record<Kind, Blame>> = {
  branch: { old_ref_name: /old branch|old_ref/i, new_branch_name: /branch|\bname\b/i, name: /branch/i },
  tag: { target: /target/i, message: /message/i, tag_name: /\btag/i },
}

/** @throws Problem 400 an unknown action */
export function askedOfRefs({ repo }: SignedInOnRepository, kind: Kind, fields: Fields): Asked {
  const params = { owner: repo.owner.name, repo: repo.name }
  const [call, done] = callOf(kind, params, fields)
  const page = kind === 'branch' ? 'branches' : 'tags'
  return {
    calls: [call],
    leadsTo: `${params.owner}/${params.repo}/${page}?done=${done}`,
    blame: fields.action === 'create' ? blame[kind] : fields.action === 'rename' ? 'name' : {},
  }
}

function callOf(
  kind: Kind,
  params: { owner: string; repo: string },
  fields: Fields,
): readonly [call: Call, done: string] {
  const { action = '', ref = '' } = fields
  const body = valuesIn(creation[kind], fields)
  switch (`${kind} ${action}`) {
    case 'branch create':
      return [[repoCreateBranch, { params, body }], 'created']
    case 'branch rename':
      return [
        [repoRenameBranch, { params: { ...params, branch: ref }, body: { name: fields.name ?? '' } }],
        'renamed',
      ]
    case 'branch delete':
      return [[repoDeleteBranch, { params: { ...params, branch: ref } }], 'deleted']
    case 'tag create':
      return [[repoCreateTag, { params, body }], 'created']
    case 'tag delete':
      return [[repoDeleteTag, { params: { ...params, tag: ref } }], 'deleted']
    default:
      throw unknownAction()
  }
}
