import type { Service } from '../../git/http/exchange.ts'

/** What a client asks for: a service of a repository. */
export interface GitCommand {
  service: Service
  owner: string
  /** Without `.git`. */
  repository: string
}

/** The command that `ssh` sends for a git client: the program, and a path with or without quotes (git-clone(1)). */
const pattern = /^git[- ](upload-pack|receive-pack) (?:'([^'\\]*)'|"([^"\\$`]*)"|([^'"\\$`\s]*))$/

const pathPattern = /^\/?([\w.-]{1,100})\/([\w.-]{1,100})\/?$/

/** The command of a client as `SSH_ORIGINAL_COMMAND` has it; undefined for all others. No shell ever sees it. */
export function parseGitCommand(text: string): GitCommand | undefined {
  const [, program, ...quoted] = pattern.exec(text) ?? []
  const path = quoted.find((each) => each !== undefined)
  const [, owner = '', name = ''] = pathPattern.exec(path ?? '') ?? []
  const repository = name.replace(/\.git$/i, '')
  if (!program || isDots(owner) || isDots(repository)) return undefined
  return { service: program === 'upload-pack' ? 'git-upload-pack' : 'git-receive-pack', owner, repository }
}

/** Whether a segment of a path is empty, `.`, `..` or more dots. */
const isDots = (segment: string) => /^\.*$/.test(segment)
