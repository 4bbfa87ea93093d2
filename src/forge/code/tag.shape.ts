import * as v from 'valibot'
import type { StoredCommit } from '../../git/repository/commit.ts'
import type { TagObject } from '../../git/repository/tag.ts'
import { shape } from '../../http/route/validate.ts'
import { described } from '../../http/route/values.ts'
import type { Code } from '../repos/code.ts'
import { CommitMeta, printCommitMeta } from './commit.shape.ts'

/** Tag of the original. */
export const Tag = shape('Tag', {
  name: v.string(),
  message: described(v.string(), 'That of the annotated tag, or else of the commit'),
  id: described(v.string(), 'Id of the annotated tag, or else of the commit'),
  commit: CommitMeta,
  zipball_url: v.string(),
  tarball_url: v.string(),
})
export type Tag = v.InferOutput<typeof Tag>

/** `annotated`: the tag object, if the tag is not a light one. */
export function printTag(
  code: Code,
  { name, commit, annotated }: { name: string; commit: StoredCommit; annotated: TagObject | undefined },
): Tag {
  const archive = `${code.home}/archive/${encodeURIComponent(name)}`
  return {
    name,
    // Clients compare it with the message that they sent; the tag object has a line feed at its end.
    message: (annotated?.message ?? commit.message).trim(),
    id: annotated?.id ?? commit.id,
    commit: printCommitMeta(code, commit.id, (annotated?.tagger ?? commit.committer).at),
    zipball_url: `${archive}.zip`,
    tarball_url: `${archive}.tar.gz`,
  }
}
