import * as v from 'valibot'
import { type Documented, type OpenApi, openApi } from '../http/openapi/document.ts'
import type { Mounted } from '../http/route/api.ts'
import { shape } from '../http/route/validate.ts'

/** The body of an error. */
const Failure = shape('Error', { error: v.pipe(v.string(), v.examples(['title and content are required'])) })

const description = `News, media, and who is online. As specified, everybody may read and write; \`SITE_WRITES\` of the server may
ask those who publish and remove for a token of an administrator. The name of the site always takes one.

Besides the answers that an operation lists, any one may be answered with 400 (a request that cannot be read), 408, 413, 415
or 503, in the shape of the other errors. Answers to GET have an \`ETag\`: with \`If-None-Match\` they are 304 while nothing has
changed. Each answer has an \`X-Request-Id\`, under which the log has the request.`

const nouns = {
  news: 'What the website publishes',
  media: 'Pictures and films by their addresses',
  stats: 'Who is online, what has happened, and the overview of both',
  site: 'What the site is called',
  health: 'Whether the server answers',
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
export const siteDocument = (about: {
  version: string
  routes: readonly Mounted[]
  security: NonNullable<Documented['security']>
}): OpenApi =>
  openApi({
    version: about.version,
    routes: about.routes,
    security: about.security,
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
      id: 'Id, as answers give it',
      name: 'As the address of the picture has it',
      uuid: 'As the address of the picture has it',
    },
  })
