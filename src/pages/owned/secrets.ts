import { Secret } from '../../forge/actions/secret.shape.ts'
import type { ForgeTools } from '../../forge/route.ts'
import type { Route } from '../../http/route/route.ts'
import type { Fields } from '../form.ts'
import { html, timeOf } from '../html.ts'
import { pageAt } from '../list.ts'
import { type FieldDescription, valuesIn } from '../operations/described.ts'
import { readPage } from '../operations/perform.ts'
import type { Noun } from './noun.ts'
import type { Params } from './owner.ts'

/** The operations on the secrets of one kind of owner. */
interface Operations {
  list: Route<ForgeTools>
  put: Route<ForgeTools>
  remove: Route<ForgeTools>
}

const name: FieldDescription = {
  name: 'name',
  label: 'Name',
  hint: 'Letters, digits and _; steps read it as secrets.NAME',
}
const rest: readonly FieldDescription[] = [
  {
    name: 'data',
    label: 'Value',
    kind: 'long',
    hint: 'Nobody is shown it again; only jobs get it.',
    isSecret: true,
  },
  { name: 'description', label: 'Description', isOptional: true },
]

const blame = { data: /data/i, name: /name/i }

/** Secrets for the jobs of an owner. */
export const secretsOf = ({ list, put, remove }: Operations): Noun<Secret> => ({
  section: 'actions/secrets',
  title: 'Secrets',
  word: ['secret'],
  about: 'Jobs get them; no page and no answer shows them.',
  rows: (at, page) => readPage(at, list, Secret, { params: at.params, query: pageAt(page) }),
  keyOf: (row) => row.name,
  nameOf: (row) => row.name,
  factsOf: (row) =>
    html`${row.description === '' ? undefined : html`<bdi>${row.description}</bdi> · `}added ${timeOf(row.created_at)}`,
  added: { text: 'Add a secret', fields: [name, ...rest] },
  changed: { text: 'Replace', fields: rest, valuesOf: ({ description }) => ({ description }) },
  removed: {
    text: 'Delete',
    question: (row) => `Delete ${row.name}? Jobs that start from now on do not have it.`,
  },
  acts: {
    add: {
      calls: (sent, { params }) => [[put, { params: named(params, sent.name), body: valuesIn(rest, sent) }]],
      done: 'The secret is kept. Jobs that start from now on have it.',
      blame,
    },
    change: {
      calls: (sent, { params }) => [[put, { params: named(params, sent.key), body: valuesIn(rest, sent) }]],
      done: 'The secret was replaced.',
      blame,
    },
    remove: {
      calls: (sent: Fields, { params }) => [[remove, { params: named(params, sent.key) }]],
      done: 'The secret was deleted.',
    },
  },
})

const named = (params: Params, secretname = '') => ({ ...params, secretname })
