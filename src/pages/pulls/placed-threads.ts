import { lineAfter } from '../../forge/pulls/reviews/hunk.ts'
import {
  commentedPaths,
  commentsOnFiles,
  type SeenReviewComment,
} from '../../forge/pulls/reviews/review-comment-store.ts'
import { type Code, gitValue } from '../../forge/repos/code.ts'
import { readDiff } from '../../git/repository/diff.ts'
import { placesIn } from '../code/diff.ts'
import type { Difference, ShownFile } from '../code/difference.ts'
import type { Reviewed } from './review-context.ts'
import { type Thread, threadsIn } from './threads.ts'

/**
 * How many comments a page shows, in how many files that are not changed any more, and in how many files it finds out where
 * commented lines of earlier commits are now: each takes a run of git.
 */
const maximum = { comments: 500, paths: 200, moved: 30 }

/** The commits whose difference is shown. */
interface Span {
  base: string
  head: string
}

/** A conversation, and the place in the difference where it stands: `new:12`; undefined: its line is not there. */
export interface PlacedThread extends Thread {
  place: string | undefined
}

/** The conversations of the files of a page, by their numbers, and those of files that are not changed any more, on the first page. */
interface PlacedThreads {
  byFile: ReadonlyMap<number, readonly PlacedThread[]>
  elsewhere: readonly Thread[]
  /** Whether there are more than are shown. */
  isCut: boolean
}

/** Finds where conversations stand in the part of a difference that a page shows. @throws Problem 404, 503 */
export async function placedThreads(
  { context, row }: Reviewed,
  code: Code,
  span: Span,
  difference: Difference,
): Promise<PlacedThreads> {
  const on = { issue: row.id, account: context.caller.me?.id }
  const { files, paths, page } = difference
  const known = page === 1 ? await commentedPaths(context.sql, on, maximum.paths) : []
  const gone = known.flatMap(({ path }) => (paths.has(path) ? [] : path))
  const shown = [...files.flatMap(({ path, previous }) => [path, previous ?? path]), ...gone]
  const comments = await commentsOnFiles(context.sql, { ...on, paths: shown }, maximum.comments)
  const threads = threadsIn(comments)
  const lines = await linesNow(code, span, threads)
  const byFile = new Map<number, PlacedThread[]>()
  for (const file of files) {
    const places = placesIn(file.lines ?? [])
    const ofFile = threads.filter(({ first }) => isOf(file, first))
    byFile.set(
      file.number,
      ofFile.map((thread) => ({ ...thread, place: placeAmong(places, thread, lines) })),
    )
  }
  const elsewhere = threads.filter(({ first }) => gone.includes(first.path))
  return { byFile, elsewhere, isCut: comments.length >= maximum.comments }
}

/** Lines before the change are those of the path that the file had then. */
const isOf = ({ path, previous }: ShownFile, { path: commented, is_old }: SeenReviewComment) =>
  commented === (is_old ? (previous ?? path) : path)

function placeAmong(
  places: ReadonlySet<string>,
  { first }: Thread,
  lines: ReadonlyMap<number, number>,
): string | undefined {
  const line = lines.get(first.id)
  const place = `${first.is_old ? 'old' : 'new'}:${line}`
  return line === undefined || first.is_outdated || !places.has(place) ? undefined : place
}

/** The numbers that commented lines have now, by the first comments of their conversations; without those that are gone. */
async function linesNow(
  code: Code,
  { base, head }: Span,
  threads: readonly Thread[],
): Promise<ReadonlyMap<number, number>> {
  const lines = new Map<number, number>()
  const diffs = new Map<string, readonly string[]>()
  for (const { first } of threads) {
    const { id, path, line, is_old, is_outdated, commit_id: before } = first
    const after = is_old ? base : head
    const key = JSON.stringify([before, path])
    const isRead = before !== after && !is_outdated && !diffs.has(key) && diffs.size < maximum.moved
    if (isRead) {
      const { files } = gitValue(await readDiff(code, { before, after, paths: [path] }))
      diffs.set(key, files[0]?.lines ?? [])
    }
    const diff = before === after ? [] : diffs.get(key)
    const now = diff && lineAfter(diff, line)
    if (now !== undefined) lines.set(id, now)
  }
  return lines
}
