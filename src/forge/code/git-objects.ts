import * as v from 'valibot'
import { isObjectId } from '../../git/program/names.ts'
import { readCommitObject } from '../../git/repository/commit.ts'
import { objectsNamed, objectsOnDisk } from '../../git/repository/objects.ts'
import { listRefs } from '../../git/repository/refs.ts'
import { readTagObject } from '../../git/repository/tag.ts'
import { type ListedEntry, listTree } from '../../git/repository/tree.ts'
import { badRequest, found, notFound } from '../../http/route/problem.ts'
import { json } from '../../http/route/sends.ts'
import { escapeSegments } from '../protocol/escape-segments.ts'
import { queryCount, queryFlag } from '../protocol/query.ts'
import { codeSeen } from '../repos/access.ts'
import { type Code, commitOfRevision, gitValue, openCode } from '../repos/code.ts'
import { route } from '../route.ts'
import { signersOf } from '../ssh-keys/signers.ts'
import { printStamp } from './commit.shape.ts'
import { base64Of, maxPointer, pointerIn } from './contents/contents-of.ts'
import { AnnotatedTag, GitBlobResponse, GitTreeResponse, Reference } from './git-object.shape.ts'
import { printVerification } from './verification.shape.ts'

/** Refs and objects of git, by names and ids. */

const reading = { access: codeSeen(), shared: 'until written' } as const

export const repoListAllGitRefs = route('GET /repos/{owner}/{repo}/git/refs', {
  ...reading,
  summary: 'Branches, tags and notes with the objects that they point to',
  fails: [404],
  returns: json(200, v.array(Reference)),
  handler: async (context) => refsOf(await openCode(context), ''),
})

export const repoListGitRefs = route('GET /repos/{owner}/{repo}/git/refs/{ref...}', {
  ...reading,
  summary: 'Refs whose names begin with a text, such as `heads/ma`',
  fails: [404],
  returns: json(200, v.array(Reference)),
  handler: async (context) => refsOf(await openCode(context), context.params.ref),
})

const folders = ['refs/heads', 'refs/tags', 'refs/notes'] as const
const kinds = { commit: 'commits', tag: 'tags', tree: 'trees', blob: 'blobs' } as const

/** @throws Problem 404 there are none, 503 */
async function refsOf(code: Code, start: string) {
  const prefix = `refs/${start}`
  const possible = folders.filter((folder) => prefix.startsWith(folder) || folder.startsWith(prefix))
  const all = possible.length > 0 ? gitValue(await listRefs(code, possible)) : []
  const matching = all.filter(({ name }) => name.startsWith(prefix))
  if (matching.length === 0) throw notFound()
  return matching.map(({ name, id, type }) => ({
    ref: name,
    url: `${code.api}/git/${escapeSegments(name)}`,
    object: { type, url: `${code.api}/git/${kinds[type]}/${id}`, sha: id },
  }))
}

/** Maximum entries on a page. */
const maxEntries = 1000

export const GetTree = route('GET /repos/{owner}/{repo}/git/trees/{sha}', {
  ...reading,
  summary: 'The entries of a tree, or of the tree of a commit, branch or tag',
  query: { recursive: queryFlag, page: queryCount, per_page: queryCount },
  fails: [400, 404],
  returns: json(200, GitTreeResponse),
  handler: async (context) => {
    const { params, query } = context
    const code = await openCode(context)
    const tree = await treeOf(code, params.sha)
    const page = Math.max(query.page, 1)
    const count = query.per_page > 0 ? Math.min(query.per_page, maxEntries) : maxEntries
    const skip = (page - 1) * count
    const { recursive } = query
    const { entries, total } = gitValue(await listTree(code, tree, { recursive, skip, count }))
    return {
      sha: tree,
      url: `${code.api}/git/trees/${tree}`,
      tree: await printEntries(code, entries),
      truncated: skip + count < total,
      page,
      total_count: total,
    }
  },
})

/** The tree of a commit, branch or tag, or the one with this id. @throws Problem 400, 404, 503 */
async function treeOf(code: Code, name: string): Promise<string> {
  const start = (await commitOfRevision(code, name)) ?? (isObjectId(name) ? name : undefined)
  const [tree] = start === undefined ? [] : gitValue(await objectsOnDisk(code, [`${start}^{tree}`]))
  if (!tree) throw badRequest(`sha not found [${name}]`)
  return tree.id
}

async function printEntries({ api, ...code }: Code, entries: readonly ListedEntry[]) {
  const blobs = entries.filter(({ type }) => type === 'blob').map(({ id }) => id)
  const sizes = new Map(gitValue(await objectsNamed(code, blobs)).map((blob) => [blob?.id, blob?.size]))
  return entries.map(({ path, mode, type, id }) => ({
    path,
    mode,
    type,
    size: sizes.get(id) ?? 0,
    sha: id,
    url: type === 'commit' ? '' : `${api}/git/${type}s/${id}`,
  }))
}

export const GetBlob = route('GET /repos/{owner}/{repo}/git/blobs/{sha}', {
  ...reading,
  summary: 'The content of a file by its id',
  fails: [400, 404, 503],
  returns: json(200, GitBlobResponse),
  handler: async (context) => {
    const { sha } = context.params
    const code = await openCode(context)
    const [blob] = gitValue(await objectsOnDisk(code, [requireId(sha)]))
    if (blob?.type !== 'blob') throw notFound()
    const { size } = blob
    const content = await base64Of(code, { id: sha, size })
    return {
      content: content ?? null,
      encoding: content === undefined ? null : ('base64' as const),
      url: `${code.api}/git/blobs/${sha}`,
      sha,
      size,
      ...(size <= maxPointer && pointerIn(Buffer.from(content ?? '', 'base64').toString('utf8'))),
    }
  },
})

export const GetAnnotatedTag = route('GET /repos/{owner}/{repo}/git/tags/{sha}', {
  ...reading,
  summary: 'An annotated tag by its own id, not by that of the commit',
  fails: [400, 404],
  returns: json(200, AnnotatedTag),
  handler: async (context) => {
    const { sha } = context.params
    const code = await openCode(context)
    const [object] = gitValue(await objectsOnDisk(code, [requireId(sha)]))
    const tag = found(object && gitValue(await readTagObject(code, sha)))
    const { name, tagger, message } = tag
    const commit = found(gitValue(await readCommitObject(code, sha)))
    const signers = await signersOf(context.sql, [{ ...tag, committer: tagger }], code.git.signer)
    return {
      tag: name,
      sha,
      url: `${code.api}/git/tags/${sha}`,
      message,
      tagger: printStamp(tagger),
      object: { type: 'commit', url: `${code.api}/git/commits/${commit.id}`, sha: commit.id },
      verification: printVerification(tag, signers.get(sha)),
    }
  },
})

/** @throws Problem 400 */
function requireId(text: string): string {
  if (!isObjectId(text)) throw badRequest(`not a full object id: ${text}`)
  return text
}
