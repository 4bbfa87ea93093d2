import { SETTINGS } from '../../repos/repo.shape.ts'
import type { Repository } from '../../repos/repo-store.ts'

/** The ways of merging, as the API names them. */
export const MERGE_STYLES = [
  'merge',
  'rebase',
  'rebase-merge',
  'squash',
  'fast-forward-only',
  'manually-merged',
] as const
export type MergeStyle = (typeof MERGE_STYLES)[number]

/** The setting of a repository that allows a way of merging. */
const settingOf = {
  merge: 'allow_merge_commits',
  rebase: 'allow_rebase',
  'rebase-merge': 'allow_rebase_explicit',
  squash: 'allow_squash_merge',
  'fast-forward-only': 'allow_fast_forward_only_merge',
  'manually-merged': 'allow_manual_merge',
} as const satisfies Readonly<Record<MergeStyle, keyof typeof SETTINGS>>

/** Whether a repository allows a way of merging. */
export const allowsStyle = ({ settings }: Pick<Repository, 'settings'>, style: MergeStyle): boolean =>
  (settings[settingOf[style]] ?? SETTINGS[settingOf[style]]) === true

/** What the message of a merge says about a pull request. */
interface MessageFacts {
  number: number
  title: string
  /** Short names. */
  headBranch: string
  baseBranch: string
  /** `owner/name` of the head repository, unless it is the base repository. */
  headRepository: string | undefined
}

/** The first line and the rest of a message. */
export interface MergeMessage {
  title: string
  body: string
}

/** The message of the original for a merge or squashed commit whose request has none. */
export function defaultMessage(style: MergeStyle, facts: MessageFacts): MergeMessage {
  const { number, title, headBranch, baseBranch, headRepository } = facts
  if (style === 'squash') return { title: `${title} (#${number})`, body: '' }
  const from = headRepository === undefined ? headBranch : `${headRepository}:${headBranch}`
  return { title: `Merge pull request '${title}' (#${number}) from ${from} into ${baseBranch}`, body: '' }
}

/** The whole message of a commit. */
export const wholeMessage = ({ title, body }: MergeMessage): string =>
  body.trim() === '' ? title : `${title}\n\n${body.trim()}`
