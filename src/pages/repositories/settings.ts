import * as v from 'valibot'
import { queryText } from '../../forge/protocol/query.ts'
import { repoDelete, repoEdit } from '../../forge/repo-lifecycle/repos.ts'
import { repoTransfer } from '../../forge/repo-lifecycle/transfers.ts'
import { repoAdmin, type SignedInOnRepository } from '../../forge/repos/access.ts'
import { Repository } from '../../forge/repos/repo.shape.ts'
import { repoUpdateTopics } from '../../forge/repos/topics.ts'
import { textAs } from '../../http/route/sends.ts'
import { type Fields, unknownAction } from '../form.ts'
import { type Asked, operationForm, replyToForm } from '../operations/form.ts'
import { forPages } from '../operations/perform.ts'
import type { Refusal } from '../operations/refusal.ts'
import { htmlType } from '../profile.ts'
import { route } from '../route.ts'
import { orSignIn } from '../session/session.ts'
import { mergeSettings, settingsPage, unitSettings } from './settings-page.ts'

export const getRepositorySettings = route('GET /{owner}/{repo}/settings', {
  summary: 'The settings of a repository, and the forms that change, archive, transfer and delete it',
  access: orSignIn(forPages(repoAdmin())),
  query: { done: queryText },
  fails: [404],
  returns: textAs(200, htmlType),
  handler: ({ query, ...context }) => settingsPage(context, { done: notices[query.done] }),
})

export const changeRepositoryByPage = route('POST /{owner}/{repo}/settings', {
  ...operationForm(repoAdmin()),
  summary: 'Change, archive, transfer or delete a repository',
  fails: [400, 404],
  handler: ({ caller: sender, body, ...context }) =>
    replyToForm(sender, body, {
      ask: (caller) => askedOf(caller, body),
      again: (caller, refusal) => settingsPage({ ...context, caller }, { values: body, refusal }),
    }),
})

const notices: Readonly<Record<string, string>> = {
  edited: 'The repository was changed.',
  topics: 'The topics were changed.',
  archived: 'The repository is archived: everybody may still read it.',
  restored: 'The repository is no longer archived.',
}

interface Place {
  params: { owner: string; repo: string }
  path: string
}

/** @throws Problem 400 an unknown action */
function askedOf({ repo }: SignedInOnRepository, fields: Fields): Asked | Refusal {
  const params = { owner: repo.owner.name, repo: repo.name }
  const place = { params, path: `${params.owner}/${params.repo}` }
  const [, action] = Object.entries(actions).find(([name]) => name === fields.action) ?? []
  if (!action) throw unknownAction()
  return action(fields, place)
}

/** An edit, which leads to the settings under the name that the repository has then. */
const edit = ({ params }: Place, body: object, done = 'edited'): Asked => ({
  calls: [[repoEdit, { params, body }]],
  leadsTo: ([edited]) => `${v.parse(Repository, edited).full_name}/settings?done=${done}`,
  blame: {
    name: /\bname\b/i,
    default_branch: /branch/i,
    website: /website/i,
    description: /description/i,
  },
})

const flagsIn = (fields: Fields, names: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.keys(names).map((name) => [name, fields[name] === 'on']))

const actions: Readonly<Record<string, (fields: Fields, place: Place) => Asked | Refusal>> = {
  edit: (fields, place) => {
    const { name = '', description = '', website = '', default_branch = '' } = fields
    const flags = { private: fields.private === 'on', template: fields.template === 'on' }
    return edit(place, { name, description, website, default_branch, ...flags })
  },
  topics: ({ topics = '' }, { params, path }) => ({
    calls: [[repoUpdateTopics, { params, body: { topics: topics.split(/[\s,]+/) } }]],
    leadsTo: `${path}/settings?done=topics`,
    blame: 'topics',
  }),
  units: (fields, place) => edit(place, flagsIn(fields, unitSettings)),
  merges: (fields, place) => edit(place, flagsIn(fields, mergeSettings)),
  archive: (_, place) => edit(place, { archived: true }, 'archived'),
  restore: (_, place) => edit(place, { archived: false }, 'restored'),
  transfer: ({ new_owner = '' }, { params }) => ({
    calls: [[repoTransfer, { params, body: { new_owner } }]],
    leadsTo: ([made]) => v.parse(Repository, made).full_name,
    blame: 'new_owner',
  }),
  delete: ({ confirmation = '' }, { params, path }) =>
    confirmation.trim().toLowerCase() === path.toLowerCase()
      ? { calls: [[repoDelete, { params }]], leadsTo: params.owner }
      : { field: 'confirmation', sentence: `Write ${path}.` },
}
