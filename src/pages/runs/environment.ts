import type { ListedJob } from '../../forge/actions/job.shape.ts'
import { type Html, html, webAddress } from '../html.ts'

/** The deployment environment that a job names, with a link to what it deploys; undefined: it names none. */
export function environmentIn({
  environment,
  environment_url: url,
}: Pick<ListedJob, 'environment' | 'environment_url'>): Html | undefined {
  if (environment === null) return undefined
  const address = url === null ? undefined : webAddress(url)
  const name = address
    ? html`<a href="${address}" rel="noopener noreferrer nofollow ugc">${environment}</a>`
    : environment
  return html`Environment ${name}`
}
