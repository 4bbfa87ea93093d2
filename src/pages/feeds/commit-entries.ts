import { escapeSegments } from '../../forge/protocol/escape-segments.ts'
import { type Code, gitValue } from '../../forge/repos/code.ts'
import { newestRefs } from '../../git/repository/cache/newest-refs.ts'
import { listCommits } from '../../git/repository/history.ts'
import { asLines } from './activity-entries.ts'
import type { FeedEntry } from './document.ts'

/** A time that git has stored, as the database has times: whoever makes a commit writes any text there. */
function timeOf(at: string): string {
  const milliseconds = Date.parse(at)
  return new Date(Number.isNaN(milliseconds) ? 0 : milliseconds).toISOString()
}

/** The newest commits from one backwards. @throws Problem 404, 503 */
export async function commitEntries(code: Code, after: string, count: number): Promise<FeedEntry[]> {
  const span = { after, path: '', skip: 0, maxCommits: count }
  const commits = gitValue(await listCommits(code, span))
  return commits.map(({ id, message, author, committer }) => {
    const at = timeOf(committer.at)
    return {
      address: `${code.home}/commit/${id}`,
      title: message.split('\n', 1)[0] || id.slice(0, 10),
      published: at,
      updated: at,
      author: author.name,
      text: asLines(message.trimEnd()),
    }
  })
}

/** The newest tags. @throws Problem 404, 503 */
export async function tagEntries(code: Code, count: number): Promise<FeedEntry[]> {
  const tags = gitValue(await newestRefs(code, 'tags', count))
  return tags.map(({ name, commit, at }) => ({
    address: `${code.home}/src/tag/${escapeSegments(name)}`,
    title: name,
    published: timeOf(at),
    updated: timeOf(at),
    text: asLines(`Commit ${commit}`),
  }))
}
