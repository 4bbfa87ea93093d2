import * as v from 'valibot'
import { pageFrom } from '../../db/page.ts'
import { TagProtection } from '../../forge/protection/tag-protection.shape.ts'
import {
  repoCreateTagProtection,
  repoDeleteTagProtection,
  repoEditTagProtection,
  repoListTagProtection,
} from '../../forge/protection/tag-protections.ts'
import { listed } from '../list.ts'
import { type FieldDescription, fieldsFrom, valuesIn } from '../operations/described.ts'
import { read } from '../operations/perform.ts'
import type { Noun } from './noun.ts'

const fields: readonly FieldDescription[] = [
  { name: 'name_pattern', label: 'Tags', hint: 'A glob such as v*, or a regular expression between slashes' },
  { name: 'whitelist_usernames', label: 'People', kind: 'words', isOptional: true },
  { name: 'whitelist_teams', label: 'Teams', kind: 'words', isOptional: true },
]

const blame = { name_pattern: /pattern|name|glob|expression/i }

/** Tags that only some may create, move and delete. */
export const tagRules: Noun<v.InferOutput<typeof TagProtection>> = {
  section: 'tags',
  title: 'Protected tags',
  word: ['rule'],
  about: 'Only the people and teams of a rule may create, move and delete its tags.',
  rows: async (at, page) => {
    const rules = await read(at, repoListTagProtection, v.array(TagProtection), { params: at.params })
    return pageFrom(rules, { page, limit: listed })
  },
  keyOf: ({ id }) => id,
  nameOf: ({ name_pattern }) => name_pattern,
  factsOf: ({ whitelist_usernames, whitelist_teams }) =>
    [...whitelist_usernames, ...whitelist_teams].join(', ') || 'Nobody may change them',
  added: { text: 'Add a rule', fields },
  changed: { text: 'Change', fields, valuesOf: (row) => fieldsFrom(fields, row) },
  removed: {
    text: 'Delete',
    question: ({ name_pattern }) => `Delete the rule of ${name_pattern}? Writers may change these tags then.`,
  },
  acts: {
    add: {
      calls: (sent, { params }) => [[repoCreateTagProtection, { params, body: valuesIn(fields, sent) }]],
      done: 'The rule was added.',
      blame,
    },
    change: {
      calls: (sent, { params }) => [
        [repoEditTagProtection, { params: { ...params, id: sent.key ?? '' }, body: valuesIn(fields, sent) }],
      ],
      done: 'The rule was changed.',
      blame,
    },
    remove: {
      calls: ({ key = '' }, { params }) => [[repoDeleteTagProtection, { params: { ...params, id: key } }]],
      done: 'The rule was deleted.',
    },
  },
}
