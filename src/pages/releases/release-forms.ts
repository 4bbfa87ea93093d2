import * as v from 'valibot'
import { receiveAttachment } from '../../forge/attachments/upload.ts'
import { escapeSegments } from '../../forge/protocol/escape-segments.ts'
import { numberParam, queryText } from '../../forge/protocol/query.ts'
import { repoDeleteReleaseAttachment, repoEditReleaseAttachment } from '../../forge/releases/attachments.ts'
import { Release } from '../../forge/releases/release.shape.ts'
import { filesToChange } from '../../forge/releases/release-files.ts'
import {
  repoCreateRelease,
  repoDeleteRelease,
  repoEditRelease,
  repoGetRelease,
  repoGetReleaseByTag,
} from '../../forge/releases/releases.ts'
import { releasesWritten, type SignedInOnRepository } from '../../forge/repos/access.ts'
import { Problem } from '../../http/route/problem.ts'
import { streamed, textAs } from '../../http/route/sends.ts'
import { type Fields, unknownAction } from '../form.ts'
import { valuesIn } from '../operations/described.ts'
import { type Asked, operationForm, replyToForm } from '../operations/form.ts'
import { forPages, type OnRequest, read } from '../operations/perform.ts'
import { htmlType } from '../profile.ts'
import { route } from '../route.ts'
import { orSignIn } from '../session/session.ts'
import { editReleasePage, newReleasePage, releaseFields } from './release-form-page.ts'

const writing = orSignIn(forPages(releasesWritten()))
const shown = { access: writing, returns: textAs(200, htmlType) } as const
const sent = { ...operationForm(releasesWritten()), fails: [400, 404, 503] } as const

export const getNewReleasePage = route('GET /{owner}/{repo}/releases/new', {
  ...shown,
  summary: 'The form that makes a release, of a new tag or of one that is there',
  query: { tag: queryText },
  handler: ({ caller, query }) => newReleasePage(caller, { values: { tag_name: query.tag } }),
})

export const createReleaseByPage = route('POST /{owner}/{repo}/releases/new', {
  ...sent,
  fails: [404, 503],
  summary: 'Make a release',
  handler: ({ caller: sender, body }) =>
    replyToForm(sender, body, {
      ask: ({ repo }) => ({
        calls: [[repoCreateRelease, { params: paramsOf(repo), body: valuesIn(releaseFields, body) }]],
        leadsTo: ([made]) => editPathOf(repo, v.parse(Release, made), 'created'),
        blame,
      }),
      again: (caller, refusal) => newReleasePage(caller, { values: body, refusal }),
    }),
})

export const getReleaseEditPage = route('GET /{owner}/{repo}/releases/edit/{tag...}', {
  ...shown,
  summary: 'The forms that change and delete a release and its files',
  query: { done: queryText },
  fails: [404],
  handler: async ({ caller, params, query }) =>
    editReleasePage(caller, await releaseOf(caller, params.tag), { done: notices[query.done] }),
})

export const editReleaseByPage = route('POST /{owner}/{repo}/releases/edit/{tag...}', {
  ...sent,
  summary: 'Change or delete a release, or rename or delete a file of it',
  handler: ({ caller: sender, body, params }) =>
    replyToForm(sender, body, {
      ask: async (caller) => askedOf(caller.repo, await releaseOf(caller, params.tag), body),
      again: async (caller, refusal) =>
        editReleasePage(caller, await releaseOf(caller, params.tag), { values: body, refusal }),
    }),
})

export const addReleaseFileByPage = route('POST /{owner}/{repo}/releases/files/{id}', {
  summary: 'Add a file, which is sent with the form, to a release',
  access: writing,
  params: { id: numberParam },
  returns: streamed(303),
  fails: [400, 404, 413, 422, 423, 503],
  handler: async (context) => {
    const { caller, params } = context
    const release = await read(caller, repoGetRelease, Release, {
      params: { ...paramsOf(caller.repo), id: params.id },
    })
    const files = await filesToChange(context)
    return async (req, res) => {
      try {
        await receiveAttachment(context, files, { req, res }, '')
        const Location = context.from.host + editPathOf(caller.repo, release, 'added')
        res.writeHead(303, { Location }).end()
      } catch (error) {
        if (!(error instanceof Problem) || ![400, 413, 422].includes(error.status)) throw error
        const sentence = sentences[error.status] ?? `It was refused: ${error.message}.`
        const page = await editReleasePage(caller, release, { refusal: { field: 'attachment', sentence } })
        throw new Problem(error.status, error.message, { ...error.extra, page })
      }
    }
  },
})

const sentences: Readonly<Record<number, string>> = {
  400: 'Choose a file.',
  413: 'This is more than the server takes.',
}

const notices: Readonly<Record<string, string>> = {
  created: 'The release is made. Add files to it here.',
  edited: 'The release was changed.',
  added: 'The file was added.',
  'file-renamed': 'The file was renamed.',
  'file-deleted': 'The file was deleted.',
}

const blame = {
  tag_name: /\btag/i,
  target_commitish: /target/i,
  body: /note/i,
  name: /title/i,
}

type Repo = SignedInOnRepository['repo']

const paramsOf = ({ owner, name }: Repo) => ({ owner: owner.name, repo: name })

const editPathOf = ({ owner, name }: Repo, { tag_name }: Release, done: string) =>
  `${owner.name}/${name}/releases/edit/${escapeSegments(tag_name)}?done=${done}`

/** @throws Problem 404 */
const releaseOf = (caller: SignedInOnRepository & OnRequest, tag: string) =>
  read(caller, repoGetReleaseByTag, Release, { params: { ...paramsOf(caller.repo), tag } })

/** @throws Problem 400 an unknown action */
function askedOf(repo: Repo, release: Release, fields: Fields): Asked {
  const params = { ...paramsOf(repo), id: release.id }
  switch (fields.action) {
    case 'edit':
      return {
        // An empty text leaves the notes as they are.
        calls: [
          [
            repoEditRelease,
            {
              params,
              body: { ...valuesIn(releaseFields, fields), ...(fields.body === '' && { body: ' ' }) },
            },
          ],
        ],
        leadsTo: ([edited]) => editPathOf(repo, v.parse(Release, edited), 'edited'),
        blame,
      }
    case 'delete':
      return {
        calls: [[repoDeleteRelease, { params }]],
        leadsTo: `${repo.owner.name}/${repo.name}/releases?done=deleted`,
      }
    case 'delete-file':
      return {
        calls: [[repoDeleteReleaseAttachment, { params: { ...params, attachment_id: fields.file ?? '' } }]],
        leadsTo: editPathOf(repo, release, 'file-deleted'),
      }
    case 'rename-file': {
      const { file = '', name = '' } = fields
      return {
        calls: [[repoEditReleaseAttachment, { params: { ...params, attachment_id: file }, body: { name } }]],
        leadsTo: editPathOf(repo, release, 'file-renamed'),
      }
    }
    default:
      throw unknownAction()
  }
}
