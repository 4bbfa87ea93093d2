import * as v from 'valibot'
import { Label } from '../../forge/labels/label.shape.ts'
import { LabelTemplate } from '../../forge/misc/templates.shape.ts'
import { getLabelTemplateInfo } from '../../forge/misc/templates.ts'
import type { ForgeTools } from '../../forge/route.ts'
import type { Route } from '../../http/route/route.ts'
import { choice, type Fields, opened, opener } from '../form.ts'
import { html } from '../html.ts'
import { labelBadge } from '../issues/issue-entry.ts'
import { pageAt } from '../list.ts'
import { type FieldDescription, valuesIn } from '../operations/described.ts'
import type { Call } from '../operations/form.ts'
import { newFormId } from '../operations/once.ts'
import { read, readPage } from '../operations/perform.ts'
import type { At, Noun } from './noun.ts'

/** The operations on the labels of one kind of owner. */
interface Operations {
  list: Route<ForgeTools>
  create: Route<ForgeTools>
  edit: Route<ForgeTools>
  remove: Route<ForgeTools>
}

const fields: readonly FieldDescription[] = [
  { name: 'name', label: 'Name', hint: 'Such as bug, or kind/bug for a scope' },
  { name: 'color', label: 'Colour', kind: 'color' },
  { name: 'description', label: 'Description', isOptional: true },
  {
    name: 'exclusive',
    label: 'Exclusive',
    kind: 'tick',
    hint: 'An issue has one label of the scope at most, which is the part of the name before the last slash.',
  },
  { name: 'exclusive_order', label: 'Order in its scope', kind: 'number', isOptional: true },
  { name: 'is_archived', label: 'Archived', kind: 'tick', hint: 'It is not offered any more.' },
]

const blame = { color: /colou?r/i, name: /name/i, description: /description/i }

const initial: Fields = { color: '#2b6cb0' }

/** Labels of issues. */
export const labelsOf = (operations: Operations, section: string): Noun<Label> => ({
  section,
  title: 'Labels',
  word: ['label'],
  rows: (at, page) => readPage(at, operations.list, Label, { params: at.params, query: pageAt(page) }),
  keyOf: ({ id }) => id,
  nameOf: ({ name }) => name,
  markOf: labelBadge,
  factsOf: ({ description }) => html`<bdi>${description}</bdi>`,
  badgesOf: ({ exclusive, is_archived }) => [
    ...(exclusive ? ['exclusive'] : []),
    ...(is_archived ? ['archived'] : []),
  ],
  added: { text: 'Add a label', fields, initial },
  changed: {
    text: 'Change',
    fields,
    valuesOf: ({ name, color, description, exclusive, exclusive_order, is_archived }) => ({
      name,
      description,
      color: `#${color}`,
      exclusive_order: String(exclusive_order),
      ...(exclusive && { exclusive: 'on' }),
      ...(is_archived && { is_archived: 'on' }),
    }),
  },
  removed: {
    text: 'Delete',
    question: ({ name }) => `Delete ${name}? It is taken from all issues. Nobody can undo this.`,
  },
  below: setForm,
  acts: actsOn(operations),
})

const actsOn = ({ list, create, edit, remove }: Operations): Noun<Label>['acts'] => ({
  add: {
    calls: (sent, { params }) => [[create, { params, body: valuesIn(fields, sent) }]],
    done: 'The label was added.',
    blame,
  },
  change: {
    calls: (sent, { params }) => [
      [edit, { params: { ...params, id: sent.key ?? '' }, body: valuesIn(fields, sent) }],
    ],
    done: 'The label was changed.',
    blame,
  },
  remove: {
    calls: ({ key = '' }, { params }) => [[remove, { params: { ...params, id: key } }]],
    done: 'The label was deleted.',
  },
  set: {
    calls: async ({ set = '' }, at) => callsOfSet(at, { list, create }, set),
    done: 'The set was added, as far as the labels were missing.',
    blame: 'set',
  },
})

/** The form that adds a set of labels. */
function setForm({ request }: At, address: string) {
  const { labelSets } = request.tools.templateCatalog
  const options = labelSets.map((name) => [name, name] as const)
  return html`<div class="actions">${opener(
    'Add a set of labels',
    'Add a set of labels',
    html`${opened(address, { action: 'set', ...newFormId() })}
${choice({ name: 'set', label: 'Set', value: '', options })}
<button class="small">Add the labels</button></form>`,
  )}</div>`
}

/** Adds the labels of a set whose names no label has. @throws Problem 404 there is no such set */
async function callsOfSet(
  at: At,
  { list, create }: Pick<Operations, 'list' | 'create'>,
  name: string,
): Promise<readonly Call[]> {
  const { params } = at
  const labels = await read(at, getLabelTemplateInfo, v.array(LabelTemplate), { params: { name } })
  const present = await readPage(at, list, Label, { params, query: { limit: '50' } })
  const names = new Set(present.rows.map((label) => label.name.toLowerCase()))
  return labels
    .filter((label) => !names.has(label.name.toLowerCase()))
    .map((body) => [create, { params, body }] as const)
}
