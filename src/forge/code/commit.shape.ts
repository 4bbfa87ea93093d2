import * as v from 'valibot'
import { shape } from '../../http/route/validate.ts'
import { described } from '../../http/route/values.ts'
import type { Code } from './code.ts'

/** CommitMeta of the original. */
export const CommitMeta = shape('CommitMeta', {
  url: v.string(),
  sha: v.string(),
  created: described(v.string(), 'RFC 3339, with the offset that the commit has; empty if unreadable'),
})
export type CommitMeta = v.InferOutput<typeof CommitMeta>

/** Refers to a commit. */
export const printCommitMeta = ({ api }: Code, sha: string, created: string): CommitMeta => ({
  url: `${api}/git/commits/${sha}`,
  sha,
  created,
})
