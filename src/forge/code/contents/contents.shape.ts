import * as v from 'valibot'
import type { TreeEntry } from '../../../git/repository/folder.ts'
import type { Revision } from '../../../git/repository/revisions.ts'
import { shape } from '../../../http/route/validate.ts'
import { described, int } from '../../../http/route/values.ts'
import { escapeSegments } from '../../protocol/escape-segments.ts'
import type { Code } from '../../repos/code.ts'

const FileLinksResponse = shape('FileLinksResponse', {
  self: v.string(),
  git: v.nullable(v.string()),
  html: v.nullable(v.string()),
})

/** ContentsResponse of the original: an entry of a folder. */
export const ContentsResponse = shape('ContentsResponse', {
  name: v.string(),
  path: v.string(),
  sha: described(v.string(), 'Id of its blob or tree, or the commit of a submodule'),
  last_commit_sha: described(v.optional(v.string()), 'The commit that changed it last; absent if unknown'),
  last_committer_date: v.optional(v.string()),
  last_author_date: v.optional(v.string()),
  last_commit_message: v.optional(v.string()),
  type: v.picklist(['file', 'dir', 'symlink', 'submodule']),
  size: described(int, 'Bytes; 0 of folders and submodules'),
  encoding: described(v.nullable(v.literal('base64')), 'null if there is no `content`'),
  content: described(v.nullable(v.string()), 'Of a single file of at most 10 MiB'),
  target: described(v.nullable(v.string()), 'Where a symbolic link leads'),
  url: v.string(),
  html_url: v.nullable(v.string()),
  git_url: v.nullable(v.string()),
  download_url: v.nullable(v.string()),
  submodule_git_url: v.nullable(v.string()),
  _links: FileLinksResponse,
  lfs_oid: described(v.optional(v.string()), 'Of a file that is a pointer of Git LFS'),
  lfs_size: v.optional(int),
})
export type ContentsResponse = v.InferOutput<typeof ContentsResponse>

/** ContentsExtResponse of the original. */
export const ContentsExtResponse = shape('ContentsExtResponse', {
  file_contents: described(v.optional(ContentsResponse), 'The file, link or submodule; absent for a folder'),
  dir_contents: described(
    v.optional(v.array(ContentsResponse)),
    'The entries of a folder; absent for others',
  ),
})
export type ContentsExtResponse = v.InferOutput<typeof ContentsExtResponse>

const types = { folder: 'dir', file: 'file', link: 'symlink', module: 'submodule' } as const

/** Facts about an entry besides its name, kind and id. */
export interface EntryFacts {
  size?: number | undefined
  /** Base64. */
  content?: string | undefined
  target?: string | undefined
  submodule?: string | undefined
  change?: Pick<
    ContentsResponse,
    'last_commit_sha' | 'last_committer_date' | 'last_author_date' | 'last_commit_message'
  >
  lfs?: { lfs_oid: string; lfs_size: number } | undefined
}

/** `ref`: the name of the revision in the request. */
export function printContents(
  { path, name, kind, id }: Pick<TreeEntry, 'name' | 'kind' | 'id'> & { path: string },
  facts: EntryFacts,
  { code, revision, ref }: { code: Code; revision: Revision; ref: string },
): ContentsResponse {
  const escaped = escapeSegments(path.toWellFormed())
  const below = `${revision.kind}/${escapeSegments(revision.ref)}/${escaped}`
  const url = `${code.api}/contents/${escaped}?ref=${encodeURIComponent(ref)}`
  const isModule = kind === 'module'
  const html = isModule ? null : `${code.home}/src/${below}`
  const git = isModule ? null : `${code.api}/git/${kind === 'folder' ? 'trees' : 'blobs'}/${id}`
  return {
    name,
    path,
    sha: id,
    ...facts.change,
    type: types[kind],
    size: facts.size ?? 0,
    encoding: facts.content === undefined ? null : 'base64',
    content: facts.content ?? null,
    target: facts.target ?? null,
    url,
    html_url: html,
    git_url: git,
    download_url: kind === 'file' || kind === 'link' ? `${code.home}/raw/${below}` : null,
    submodule_git_url: facts.submodule ?? null,
    _links: { self: url, git, html },
    ...facts.lfs,
  }
}
