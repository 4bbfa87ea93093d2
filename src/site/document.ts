import * as v from 'valibot'
import { type Documented, type OpenApi, openApi } from '../http/openapi/document.ts'
import { shape } from '../http/route/validate.ts'

/** The body of an error. */
const Failure = shape('Error', { error: v.pipe(v.string(), v.examples(['title and content are required'])) })

const description = `News, media, and users who are online. As specified, everybody may read and write; if the server sets
\`SITE_WRITES\`, publishing and removing may require a token of an administrator. Setting the name of the site always does.

Besides the answers that an operation lists, each may answer 400 (an unreadable request), 408, 413, 415 or 503, with the same
error body. Answers to GET have an \`ETag\`: a request with \`If-None-Match\` gets 304 while nothing has changed. Each answer
has an \`X-Request-Id\`, which the log line of the request also contains.`

const nouns = {
  news: 'Posts of the website',
  media: 'Pictures and films',
  stats: 'Sessions of users, and the overview of the site',
  site: 'The name of the site',
  health: 'Health of the server',
}

const examples = {
  NewsDraft: { title: 'The doors are open', content: 'Come in.' },
  NewsChange: { title: 'The doors are open again' },
  MediaDraft: { title: 'Dawn', media_type: 'image', url: 'https://media.example.org/dawn.jpg' },
  SessionStart: { username: 'ada' },
  SessionEnd: { sessionId: 1 },
  SiteChange: { name: 'The Observatory' },
}

/** The Site Content and Presence Service as OpenAPI 3.1. */
export const siteDocument = (
  api: Pick<Documented, 'version' | 'routes'> & Required<Pick<Documented, 'security'>>,
): OpenApi =>
  openApi({
    ...api,
    title: 'Forgehall site',
    description,
    error: Failure,
    prefix: '',
    server: '..',
    tagOf: (path) => path.split('/')[2] ?? '',
    tags: nouns,
    examples,
    members: {},
    parameters: {
      id: 'Id of the post or item',
      name: 'The last segment of the address of the picture',
      uuid: 'The id in the address of the picture',
    },
  })
