import type { Rule } from '../protocol/rules.ts'

/** Users, organizations and bots share one name space, compared in lower case. These names are paths of the site. */
const RESERVED: ReadonlySet<string> = new Set(
  `. .. .well-known api metrics v2 assets attachments avatar avatars repo-avatars captcha login org repo user twirp explore
   issues pulls milestones notifications favicon.ico manifest.json robots.txt sitemap.xml ssh_info swagger.v1.json
   openapi3.v1.json ghost gitea-actions overview livez readyz settings`.split(/\s+/),
)
const RESERVED_ENDINGS = ['.keys', '.gpg', '.rss', '.atom', '.png']

const RESERVED_REPOSITORIES: ReadonlySet<string> = new Set(['.', '..', '-'])
const RESERVED_REPOSITORY_ENDINGS = ['.wiki', '.git', '.rss', '.atom']

/** `/org/{org}/teams/new` is the page that creates a team. */
const RESERVED_TEAMS: ReadonlySet<string> = new Set(['new'])

/** The maximum length of a name at creation, in characters. */
export const NAME_MAX = 40
export const REPOSITORY_NAME_MAX = 100
export const TEAM_NAME_MAX = 255

/** The syntax of user and organization names, as a rule for request bodies. */
export const userName: Rule = { word: 'invalid username', holds: isName }

/** Badge slugs have the syntax of names. */
export const badgeSlug: Rule = { word: 'invalid slug', holds: isName }

/**
 * ASCII letters, digits, `_`, `-` and `.`; begins with a letter or digit, does not end with a sign, and has no two
 * signs in a row.
 */
export function isName(text: string): boolean {
  return /^[A-Za-z0-9]+(?:[-._][A-Za-z0-9]+)*$/.test(text)
}

/**
 * Why a name is invalid for a user or organization (422), or undefined: characters, then reserved words, then endings.
 */
export function nameFault(name: string): string | undefined {
  if (!isName(name)) return `${charactersMessage(name)}, ${separatorsMessage}`
  return reservedFault(name, RESERVED, RESERVED_ENDINGS)
}

/** Why a name is invalid for a repository (422), or undefined. Names are unique per owner, compared in lower case. */
export function repositoryNameFault(name: string): string | undefined {
  // "." and ".." are reported as reserved, not as invalid characters.
  const reserved = reservedFault(name, RESERVED_REPOSITORIES, RESERVED_REPOSITORY_ENDINGS)
  if (reserved !== undefined) return reserved
  return /^[\w.-]+$/.test(name) && !name.includes('..') ? undefined : charactersMessage(name)
}

/** Why a name is invalid for a team (422), or undefined. */
export function teamNameFault(name: string): string | undefined {
  return /^[\w.-]+$/.test(name) ? reservedFault(name, RESERVED_TEAMS, []) : charactersMessage(name)
}

/** The message for a name that a user or an organization uses already. */
export function nameTaken(name: string): string {
  return `user already exists [name: ${name}]`
}

/** The message (404) for a name that neither an account nor a redirect has. */
export function nameUnknown(name: string): string {
  return `user redirect does not exist [name: ${name.toLowerCase()}]`
}

const separatorsMessage = 'begin and end with a letter or digit, and have no two of - _ . together'

function charactersMessage(name: string): string {
  return `name is invalid [${name}]: must be valid alpha or numeric or dash(-_) or dot characters`
}

function reservedFault(
  name: string,
  reserved: ReadonlySet<string>,
  endings: readonly string[],
): string | undefined {
  const lower = name.toLowerCase()
  if (reserved.has(lower)) return `name is reserved [name: ${lower}]`
  const ending = endings.find((each) => lower.endsWith(each))
  return ending && `name pattern is not allowed [pattern: *${ending}]`
}
