import * as v from 'valibot'
import { shape } from '../../http/route/validate.ts'
import { described, int } from '../../http/route/values.ts'
import { CommitUser } from './commit.shape.ts'
import { Verification } from './verification.shape.ts'

/** GitObject of the original. */
const GitObject = shape('GitObject', { type: v.string(), url: v.string(), sha: v.string() })

/** Reference of the original. */
export const Reference = shape('Reference', {
  ref: described(v.string(), 'The full name: `refs/heads/main`'),
  url: v.string(),
  object: GitObject,
})

/** GitEntry of the original. */
const GitEntry = shape('GitEntry', {
  path: v.string(),
  mode: described(v.string(), 'Six octal digits'),
  type: v.picklist(['blob', 'tree', 'commit']),
  size: described(int, 'Bytes; 0 unless it is a file or link'),
  sha: v.string(),
  url: described(v.string(), 'Empty for a submodule'),
})

/** GitTreeResponse of the original. */
export const GitTreeResponse = shape('GitTreeResponse', {
  sha: v.string(),
  url: v.string(),
  tree: v.array(GitEntry),
  truncated: described(v.boolean(), 'Whether there are entries on later pages'),
  page: int,
  total_count: int,
})

/** GitBlobResponse of the original. */
export const GitBlobResponse = shape('GitBlobResponse', {
  content: described(v.nullable(v.string()), 'In base64; null for more than 10 MiB'),
  encoding: v.nullable(v.literal('base64')),
  url: v.string(),
  sha: v.string(),
  size: int,
  lfs_oid: described(v.optional(v.string()), 'Of a file that is a pointer of Git LFS'),
  lfs_size: v.optional(int),
})

/** AnnotatedTag of the original. */
export const AnnotatedTag = shape('AnnotatedTag', {
  tag: v.string(),
  sha: v.string(),
  url: v.string(),
  message: v.string(),
  tagger: CommitUser,
  object: GitObject,
  verification: described(Verification, 'That of the tag itself, whoever signed its commit'),
})
