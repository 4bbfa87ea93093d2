import { isUtf8 } from 'node:buffer'
import type { ArrivedFile } from '../../forge/attachments/upload.ts'
import { repoChangeFiles } from '../../forge/code/writing/file-writing.ts'
import { escapeSegments } from '../../forge/protocol/escape-segments.ts'
import { codeWritten, type SignedInOnRepository } from '../../forge/repos/access.ts'
import { type Code, gitValue, openCode, placeIn } from '../../forge/repos/code.ts'
import { readObject } from '../../git/repository/objects.ts'
import { objectAt } from '../../git/repository/revisions.ts'
import { found } from '../../http/route/problem.ts'
import { ReplyWith } from '../../http/route/results.ts'
import type { HandlerBase } from '../../http/route/route.ts'
import { textAs } from '../../http/route/sends.ts'
import type { Fields } from '../form.ts'
import { type Asked, replyToForm } from '../operations/form.ts'
import type { Refusal } from '../operations/refusal.ts'
import { fileForm, formIn, isShownFirst } from '../operations/sent-form.ts'
import { htmlType } from '../profile.ts'
import { type PageTools, route } from '../route.ts'
import { orSignIn } from '../session/session.ts'
import { bySender } from '../sign-in/sender.ts'
import { type EditedFile, editPage, type Shown } from './edit-page.ts'
import { maxRendered } from './readme.ts'
import { changesOf, sentFileLimits } from './sent-files.ts'

const form = fileForm(codeWritten(), sentFileLimits)

export const getEditPage = route('GET /{owner}/{repo}/_edit/{path...}', {
  summary: 'The form that changes or deletes a file of a branch, or adds one to a folder',
  access: orSignIn(codeWritten()),
  fails: [404, 503],
  returns: textAs(200, htmlType),
  handler: async ({ params, ...context }) => editPage(context, await fileAt(context, params.path)),
})

export const editFileByPage = route('POST /{owner}/{repo}/_edit/{path...}', {
  ...form,
  summary: 'Add, change, move or delete a file, or send files, with a commit to a branch, or to a new one',
  also: [200, ...form.also],
  fails: [404, 503],
  // A text of the largest size, in which each byte may be written as three.
  largestBody: 4 * maxRendered,
  handler: ({ caller: sender, params, body, ...context }) => {
    const { fields, files, refusal: refused } = formIn(body)
    const pageFor = async (caller: SignedInOnRepository, shown: Shown) => {
      const on = { ...context, caller }
      return editPage(on, await fileAt(on, params.path), shown)
    }
    // The files of a form that waited in the sign-in page could not wait.
    if (isShownFirst(fields))
      return bySender(
        sender,
        fields,
        async (caller) => new ReplyWith(await pageFor(caller, { values: fields }), { status: 200 }),
      )
    return replyToForm(sender, fields, {
      ask: async (caller) => {
        const file = await fileAt({ ...context, caller }, params.path)
        if (fields.action !== 'send') return askedOf(caller, fields, file)
        return refused ?? (await askedOfFiles(caller, fields, file, files))
      },
      again: (caller, refusal) => pageFor(caller, { values: fields, refusal }),
    })
  },
})

/** The commit of files that were sent to a folder. */
async function askedOfFiles(
  { repo }: SignedInOnRepository,
  fields: Fields,
  { branch, path, sha }: EditedFile,
  files: readonly ArrivedFile[],
): Promise<Asked | Refusal> {
  if (files.length === 0 || sha !== '') return { field: 'files', sentence: 'Choose at least one file.' }
  const changes = await changesOf(path, files)
  return commitOf(repo, fields, { branch, changes, shown: path })
}

type Context = HandlerBase<PageTools> & { caller: SignedInOnRepository }

/** What an address names: a branch, and a file or folder of it. An empty repository has neither yet. @throws Problem 404, 503 */
async function fileAt(context: Context, rest: string): Promise<EditedFile> {
  const code = await openCode(context)
  if (code.row.is_empty)
    return { branch: code.row.default_branch, path: '', sha: '', text: '', address: rest }
  const place = await placeIn(code, 'branch', rest)
  const object = found(gitValue(await objectAt(code, place.commit, place.path)))
  if (object.type === 'tree') return { branch: place.ref, path: place.path, sha: '', text: '', address: rest }
  return {
    branch: place.ref,
    path: place.path,
    sha: object.id,
    text: await textIn(code, object),
    address: rest,
  }
}

/** A text that a form can hold; undefined for other files. @throws Problem 503 */
async function textIn(code: Code, { id, size }: { id: string; size: number }): Promise<string | undefined> {
  if (size > maxRendered) return undefined
  const bytes = gitValue(await readObject(code, id, size))?.content
  return bytes === undefined || bytes.includes(0) || !isUtf8(bytes) ? undefined : bytes.toString()
}

/** The commit that a form asks for; the file must be as it was when the form was made. */
function askedOf({ repo }: SignedInOnRepository, fields: Fields, file: EditedFile): Asked {
  const { path = '', content = '', sha = '' } = fields
  const isDeletion = fields.action === 'delete'
  const to = isDeletion || path.trim() === inField(file.path) ? file.path : path.trim()
  // Browsers write the ends of lines as CRLF.
  const text = file.text?.includes('\r\n') ? content : content.replaceAll('\r\n', '\n')
  const change = isDeletion
    ? { operation: 'delete', path: to, sha }
    : { ...operationOn(file, to, sha), path: to, content: Buffer.from(text).toString('base64') }
  return commitOf(repo, fields, { branch: file.branch, changes: [change], shown: isDeletion ? '' : to })
}

/** What is left of a path in a field of one line. */
const inField = (path: string) => path.replace(/[\r\n]/g, '').trim()

interface Change {
  branch: string
  changes: readonly object[]
  /** The path that is shown then. */
  shown: string
}

/** A commit to a branch, or to a new one, and the page to which it leads. */
function commitOf(
  repo: SignedInOnRepository['repo'],
  { message = '', new_branch = '' }: Fields,
  { branch: base, changes, shown }: Change,
): Asked {
  const params = { owner: repo.owner.name, repo: repo.name }
  const body = { branch: base, new_branch, message, files: changes }
  const home = `${params.owner}/${params.repo}`
  const branch = escapeSegments(new_branch || base)
  // A change on a branch of its own waits to be proposed.
  const isProposal = new_branch !== '' && new_branch !== base && repo.has_pull_requests
  const proposal = `${home}/compare/${escapeSegments(base)}...${branch}?expand=1`
  return {
    calls: [[repoChangeFiles, { params, body }]],
    isAtomic: true,
    leadsTo: isProposal
      ? proposal
      : `${home}/src/branch/${branch}${shown === '' ? '' : `/${escapeSegments(shown)}`}`,
    blame: { path: /\bpath\b|file/i, new_branch: /branch/i, message: /message/i },
  }
}

/** An address of a file changes it, that of a folder adds one. */
const operationOn = ({ sha: present, path }: EditedFile, to: string, sha: string) =>
  present === ''
    ? { operation: 'create' }
    : { operation: 'update', sha, ...(to !== path && { from_path: path }) }
