import type * as v from 'valibot'
import { isStoredPath } from '../../../git/program/names.ts'
import { readDiff } from '../../../git/repository/diff.ts'
import { readObject } from '../../../git/repository/objects.ts'
import { objectAt } from '../../../git/repository/revisions.ts'
import { unprocessable } from '../../../http/route/problem.ts'
import { type Code, gitValue } from '../../repos/code.ts'
import { contextEndingAt, hunkEndingAt } from './hunk.ts'
import type { CreatePullReviewOptions } from './review.option.ts'
import type { CommentDraft } from './review-comment-store.ts'

/** Maximum comments of one request: each file that they name takes a run of git. */
const maxComments = 200
/** Maximum bytes of a file in which lines are counted; comments on lines of larger ones must be in the difference. */
const maxFileBytes = 4 * 1024 * 1024

/** What is commented: a commit, and the commit that it is compared with; "": their histories have no common commit. */
interface Compared {
  code: Code
  mergeBase: string
  commit: string
}

type Given = v.InferOutput<typeof CreatePullReviewOptions>['comments']
/** A comment with its part of the difference. */
export type PlacedComment = Pick<CommentDraft, 'body' | 'path' | 'line' | 'is_old' | 'commit_id' | 'hunk'>

/**
 * Finds the lines that comments are about, with their parts of the difference.
 * @throws Problem 422 there is no such line, or too many comments; 503
 */
export async function placeComments(compared: Compared, given: Given): Promise<PlacedComment[]> {
  if (given.length > maxComments)
    throw unprocessable(`a review has at most ${maxComments} comments at a time`)
  const diffs = new Map<string, readonly string[]>()
  const placed: PlacedComment[] = []
  for (const { body, path, old_position, new_position } of given) {
    const is_old = old_position > 0
    const line = is_old ? old_position : new_position
    if (line < 1 || line > maxLine || !isStoredPath(path)) throw noSuchLine(path, line)
    const commit_id = is_old ? compared.mergeBase : compared.commit
    if (commit_id === '') throw noSuchLine(path, line)
    const diff = diffs.get(path) ?? (await diffOf(compared, path))
    diffs.set(path, diff)
    const place = { line, isOld: is_old }
    const text = { commit: commit_id, path, line }
    const hunk =
      hunkEndingAt(diff, place) ?? contextEndingAt(diff, place, await linesUpTo(compared.code, text))
    placed.push({ body, path, line, is_old, commit_id, hunk })
  }
  return placed
}

const maxLine = 2 ** 31 - 1

const noSuchLine = (path: string, line: number) =>
  unprocessable(`there is no line ${line} in ${path.slice(0, 255)}`)

async function diffOf({ code, mergeBase, commit }: Compared, path: string): Promise<readonly string[]> {
  if (mergeBase === '') return []
  const { files } = gitValue(await readDiff(code, { before: mergeBase, after: commit, paths: [path] }))
  // A path of a folder names more than one file.
  return files.length === 1 ? (files[0]?.lines ?? []) : []
}

/** The lines of a file up to one that it must have; none of a file that is no text. @throws Problem 422, 503 */
async function linesUpTo(
  code: Code,
  { commit, path, line }: { commit: string; path: string; line: number },
): Promise<string[]> {
  const object = gitValue(await objectAt(code, commit, path))
  if (object?.type !== 'blob') throw noSuchLine(path, line)
  const read = gitValue(await readObject(code, object.id, maxFileBytes))
  if (read === undefined || linesIn(read.content) < line) throw noSuchLine(path, line)
  if (read.content.includes(0)) return []
  return read.content.toString('utf8').split('\n', line)
}

/** A last line without its end counts. */
function linesIn(content: Buffer): number {
  let lines = content.length > 0 && content.at(-1) !== newline ? 1 : 0
  for (const byte of content) if (byte === newline) lines++
  return lines
}

const newline = 10
