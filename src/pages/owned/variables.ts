import { ActionVariable } from '../../forge/actions/variable.shape.ts'
import type { ForgeTools } from '../../forge/route.ts'
import type { Route } from '../../http/route/route.ts'
import type { Fields } from '../form.ts'
import { html } from '../html.ts'
import { pageAt } from '../list.ts'
import { type FieldDescription, valuesIn } from '../operations/described.ts'
import { readPage } from '../operations/perform.ts'
import type { Noun } from './noun.ts'

/** The operations on the variables of one kind of owner. */
interface Operations {
  list: Route<ForgeTools>
  create: Route<ForgeTools>
  update: Route<ForgeTools>
  remove: Route<ForgeTools>
}

const name: FieldDescription = {
  name: 'name',
  label: 'Name',
  hint: 'Letters, digits and _; steps read it as vars.NAME',
}
const value: FieldDescription = {
  name: 'value',
  label: 'Value',
  kind: 'long',
  hint: 'Everybody who can run a job can read it: it is no secret.',
}
const description: FieldDescription = { name: 'description', label: 'Description', isOptional: true }
const fields = [name, value, description]

const blame = { value: /value|data/i, name: /name/i }

/** Variables for the jobs of an owner. */
export const variablesOf = (operations: Operations): Noun<ActionVariable> => ({
  section: 'actions/variables',
  title: 'Variables',
  word: ['variable'],
  about: 'Jobs that start from now on have them.',
  rows: (at, page) =>
    readPage(at, operations.list, ActionVariable, { params: at.params, query: pageAt(page) }),
  keyOf: (row) => row.name,
  nameOf: (row) => row.name,
  factsOf: (row) => html`<bdi>${row.description}</bdi>`,
  added: { text: 'Add a variable', fields },
  changed: {
    text: 'Change',
    fields,
    valuesOf: (row) => ({ name: row.name, value: row.data, description: row.description }),
  },
  removed: {
    text: 'Delete',
    question: (row) => `Delete ${row.name}? Jobs that start from now on do not have it.`,
  },
  acts: actsOn(operations),
})

const actsOn = ({ create, update, remove }: Operations): Noun<ActionVariable>['acts'] => ({
  add: {
    calls: (sent, { params }) => [
      [create, { params: { ...params, variablename: sent.name ?? '' }, body: bodyIn(sent) }],
    ],
    done: 'The variable was added. Jobs that start from now on have it.',
    blame,
  },
  change: {
    calls: (sent, { params }) => [
      [update, { params: keyed(params, sent), body: { ...bodyIn(sent), name: sent.name ?? '' } }],
    ],
    done: 'The variable was changed. Jobs that start from now on have it so.',
    blame,
  },
  remove: {
    calls: (sent, { params }) => [[remove, { params: keyed(params, sent) }]],
    done: 'The variable was deleted.',
  },
})

const bodyIn = (sent: Fields) => valuesIn([value, description], sent)

const keyed = (params: Readonly<Record<string, string>>, { key = '' }: Fields) => ({
  ...params,
  variablename: key,
})
