import type { Activity } from '../../forge/activity/activity-store.ts'
import { escapeSegments } from '../../forge/protocol/escape-segments.ts'
import { type Html, html } from '../html.ts'
import type { FeedEntry } from './document.ts'

/** A text as HTML; programs that show feeds have no style sheet that keeps its lines. */
export function asLines(text: string): Html {
  const lines = text.split(/\r\n|[\r\n]/)
  return html`<p>${lines.map((line, at) => (at === 0 ? line : html`<br>${line}`))}</p>`
}

const kinds = {
  issue: { word: 'Issue', path: 'issues/' },
  pull: { word: 'Pull request', path: 'pulls/' },
  release: { word: 'Release', path: 'releases/tag/' },
  repository: { word: 'New repository', path: '' },
} as const

/** Where it is; `host`: the root of links. */
export const addressOfActivity = (host: string, { kind, owner, name, key }: Activity): string =>
  `${host}${owner}/${name}${kind === 'repository' ? '' : `/${kinds[kind].path}${escapeSegments(key)}`}`

/** What it is, without its place: `Issue #1: It leaks`. */
export function titleOfActivity({ kind, key, title }: Activity): string {
  const { word } = kinds[kind]
  return kind === 'issue' || kind === 'pull' ? `${word} #${key}: ${title}` : `${word}: ${title}`
}

export const activityEntry = (host: string, activity: Activity): FeedEntry => ({
  address: addressOfActivity(host, activity),
  title: titleOfActivity(activity),
  published: activity.at,
  updated: activity.at,
  author: activity.actor ?? 'ghost',
  text: asLines(activity.body),
})
