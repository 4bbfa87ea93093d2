import { failed, type Outcome } from '../common/outcome.ts'

/** The modes of `/markdown` and `/markup`; `''` means an absent mode. */
export const renderModes = ['', 'markdown', 'gfm', 'comment', 'wiki', 'file'] as const

export type RenderMode = (typeof renderModes)[number]

/** One text to render, with everything the outcome depends on, so that it can be hashed and sent to a worker. */
export interface RenderRequest {
  /** The source; line endings of any kind. */
  readonly text: string
  /** As the caller sent it; an unknown mode yields a problem. */
  readonly mode: string
  /** The deprecated `Wiki` flag: true means mode `wiki` whatever `mode` says. */
  readonly wiki: boolean
  /** Path of the file inside the repository; decides the renderer in mode `file`, otherwise unused. */
  readonly filePath: string
  /** `{owner}/{repo}` or `{owner}/{repo}/src/{kind}/{ref and directory}`, as the caller sent it. */
  readonly context: string
  /** Root URL of this site with a slash at its end; links start with it. */
  readonly host: string
  /** Names (any case) of public accounts that may be linked as mentions, see `mentionedNames`. */
  readonly knownAccounts: readonly string[]
  /** Whether to write `dir="auto"`, `loading="lazy"` and `data-markdown-generated-content`. */
  readonly decorate: boolean
}

/** A file whose source is to be shown in colours, line by line. */
export interface SourceRequest {
  readonly text: string
  /** Path of the file; it tells the language. */
  readonly sourcePath: string
}

/** Why a text was not rendered. The caller can change all but `failed`. */
export type RenderReason =
  | 'mode' // the mode does not exist
  | 'renderer' // no renderer for this file
  | 'size' // the result would be larger than `maxHtmlLength`
  | 'depth' // nested deeper than the parsers can follow
  | 'timeout' // took longer than a worker may take
  | 'memory' // took more memory than a worker may take
  | 'busy' // too many texts are waiting
  | 'failed' // an internal error, see `log`

/** A failure with two messages: one for the caller, one for the log. */
export interface RenderFault {
  readonly reason: RenderReason
  readonly message: string
  readonly log: string
}

interface Rendered {
  readonly html: string
  /**
   * Whom the text mentions, in lower case: the linked ones of `knownAccounts`, and every `organization/team`. These
   * decide who is notified of a text.
   */
  readonly mentions: readonly string[]
}

export type RenderOutcome = Outcome<Rendered, RenderFault>

/** A failure as an outcome; the log gets the caller's message unless another is given. */
export function renderFailed(reason: RenderReason, message: string, log = message): RenderOutcome {
  return failed({ reason, message, log })
}

/** Longer results, in UTF-16 units, are a failure: three times the display limit of 8 MiB. */
export const maxHtmlLength = 3 * 8 * 1024 * 1024
