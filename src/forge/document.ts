import * as v from 'valibot'
import { type OpenApi, openApi, type SecurityScheme } from '../http/openapi/document.ts'
import type { Mounted } from '../http/route/api.ts'
import { shape } from '../http/route/validate.ts'
import { memberDescriptions, parameterDescriptions, tagDescriptions } from './document-descriptions.ts'
import { bodyExamples } from './document-examples.ts'

/** The body of an error. */
const APIError = shape('APIError', {
  message: v.pipe(v.string(), v.examples(['user does not exist [uid: 0, name: ada]'])),
  url: v.optional(v.string()),
})

const basic: SecurityScheme = {
  type: 'http',
  scheme: 'basic',
  description: 'A user name with its password; a token may stand in either place',
}
const bearer: SecurityScheme = { type: 'http', scheme: 'bearer', description: 'An access token' }
const header: SecurityScheme = {
  type: 'apiKey',
  in: 'header',
  name: 'Authorization',
  description: 'An access token after the word `token` and a blank',
}
const inQuery = (name: string): SecurityScheme => ({
  type: 'apiKey',
  in: 'query',
  name,
  description: 'An access token in the query, which logs of proxies may keep',
})

/** How clients authenticate. */
export const forgeSecurity = { BearerToken: bearer, AuthorizationHeaderToken: header, BasicAuth: basic }

/** Tokens in the query are an option of the server. */
const querySecurity = { Token: inQuery('token'), AccessToken: inQuery('access_token') }

const description = `The management API of a code-hosting forge. Clients written for Gitea use it unmodified; operations marked
\`x-forgehall-extension\` are not in Gitea.

In addition to the answers that it lists, every operation may answer 400 (the request cannot be read), 408, 413, 415 or 503, in
the shape of the other errors. Answers to GET have an \`ETag\`: with \`If-None-Match\` they are 304 while nothing has changed.
Each answer has an \`X-Request-Id\`, which the log line of the request contains. Users with two-factor authentication send the
code as \`X-Gitea-OTP\` with the password. An administrator acts as another user with \`Sudo\`, a header or a parameter.`

/** What the document is about. `prefix` is where the API is mounted. */
interface ForgeDocument {
  version: string
  routes: readonly Mounted[]
  prefix: string
  queryTokens: boolean
}

/** The Forge Management API as OpenAPI 3.1, next to its root. */
export const forgeDocument = ({ queryTokens, ...about }: ForgeDocument): OpenApi =>
  openApi({
    ...about,
    title: 'Forgehall management API',
    description,
    examples: bodyExamples,
    members: memberDescriptions,
    parameters: parameterDescriptions,
    error: APIError,
    server: `.${about.prefix}`,
    security: queryTokens ? { ...forgeSecurity, ...querySecurity } : forgeSecurity,
    tagOf,
    tags: tagDescriptions,
  })

/** The noun of a path, under the original's names. */
function tagOf(path: string): string {
  const [, first = '', , , below = ''] = path.split('/')
  if (first === 'repos' || first === 'repositories')
    return below === 'notifications' ? 'notification' : repoTag(path, below)
  return tags[first] ?? 'miscellaneous'
}

const repoTag = (path: string, below: string) =>
  below === 'issues' || below === 'labels' || below === 'milestones' || path === '/repos/issues/search'
    ? 'issue'
    : 'repository'

const tags: Readonly<Record<string, string>> = {
  admin: 'admin',
  org: 'organization',
  orgs: 'organization',
  teams: 'organization',
  user: 'user',
  users: 'user',
  notifications: 'notification',
  packages: 'package',
  settings: 'settings',
  topics: 'repository',
}
