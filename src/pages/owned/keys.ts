import { DeployKey } from '../../forge/keys/deploy-key.shape.ts'
import { repoCreateKey, repoDeleteKey, repoListKeys } from '../../forge/keys/deploy-keys.ts'
import { html, timeOf } from '../html.ts'
import { pageAt } from '../list.ts'
import { type FieldDescription, valuesIn } from '../operations/described.ts'
import { readPage } from '../operations/perform.ts'
import type { Noun } from './noun.ts'

const fields: readonly FieldDescription[] = [
  { name: 'title', label: 'Title', hint: 'By which you know the key' },
  { name: 'key', label: 'Public key', kind: 'long', hint: 'One line, as in a file id_ed25519.pub' },
  { name: 'read_only', label: 'Only reads', kind: 'tick', hint: 'It may not push.' },
]

/** SSH keys that open one repository. */
export const deployKeys: Noun<DeployKey> = {
  section: 'keys',
  title: 'Deploy keys',
  word: ['key'],
  about: 'A program that has one reads this repository by SSH, and writes to it unless the key only reads.',
  rows: (at, page) => readPage(at, repoListKeys, DeployKey, { params: at.params, query: pageAt(page) }),
  keyOf: ({ id }) => id,
  nameOf: ({ title }) => title,
  factsOf: ({ fingerprint, created_at, last_used_at }) =>
    html`<code>${fingerprint}</code> · added ${timeOf(created_at)} · ${last_used_at === created_at ? 'never used' : html`last used ${timeOf(last_used_at)}`}`,
  badgesOf: ({ read_only }) => [read_only ? 'only reads' : 'reads and writes'],
  added: { text: 'Add a key', fields, initial: { read_only: 'on' } },
  removed: {
    text: 'Delete',
    question: ({ title }) => `Delete ${title}? Programs with it have no access then.`,
  },
  acts: {
    add: {
      calls: (sent, { params }) => {
        const { key, ...rest } = valuesIn(fields, sent)
        return [[repoCreateKey, { params, body: { ...rest, key: String(key).trim() } }]]
      },
      done: 'The key was added.',
      blame: { title: /title|name/i, key: /key/i },
    },
    remove: {
      calls: ({ key = '' }, { params }) => [[repoDeleteKey, { params: { ...params, id: key } }]],
      done: 'The key was deleted.',
    },
  },
}
