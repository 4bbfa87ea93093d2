import type { OpenRepository } from '../../program/git.ts'
import type { Signature } from '../first-commit.ts'
import type { Repositories } from '../repositories.ts'

/** The repository whose commits are merged; new objects are written there. */
export interface Target {
  repositories: Repositories
  repository: OpenRepository
}

/** What a new commit says. */
export interface CommitText {
  author: Signature
  committer: Signature
  message: string
}

/** The result of a way of merging. */
export type Made =
  /**
   * The commit to which the base branch is to move, `base` itself if it has everything already; and the bytes of the files
   * that it has added to the repository.
   */
  | { kind: 'made'; commit: string; written: number }
  /** Paths that conflict, and the commit whose change they are of. */
  | { kind: 'conflict'; paths: readonly string[]; commit: string }
  /** The commits have no common ancestor. */
  | { kind: 'unrelated' }
  /** `base` has commits that `head` does not have, so that it cannot move to it. */
  | { kind: 'diverged' }
  /** More commits would have to be made anew. */
  | { kind: 'too many'; most: number }
