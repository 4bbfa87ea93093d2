import type { Pool } from '../../db/sql.ts'
import { insertActivity } from '../../site/activity-store.ts'
import { insertItem } from '../../site/media-store.ts'
import { hasPost, insertPost } from '../../site/news-store.ts'
import { insertSession } from '../../site/session-store.ts'
import { upsertStatistics } from '../../site/statistic-store.ts'

const posts = [
  [
    'The doors are open',
    'This site now shows its news, its pictures and who is here, from one small server.',
  ],
  [
    'Maintenance on Sunday',
    'The machine is restarted between 06:00 and 06:10 UTC. Nothing that was saved is lost.',
  ],
  ['Version 1.4 is out', 'Lists are faster, and the overview panel counts everybody exactly.'],
] as const

const media = [
  ['The workshop at dawn', 'image', 'https://media.example.org/workshop.jpg'],
  ['How a release is forged', 'video', 'https://media.example.org/release.mp4'],
] as const

const activity = ['Build 1042 passed', 'Ada published a news post', 'Nightly backup finished']

const statistics = {
  version: '1.4.0',
  build_number: '1042',
  build_pipeline: 'passing',
  reports_named: '12',
  reports_associated: '30',
  reports_logged: '57',
} as const

/** Whether the demonstration content of the site exists. */
export function hasSiteDemo(pool: Pool): Promise<boolean> {
  const [[title, content]] = posts
  return hasPost(pool, { title, content })
}

/** Adds the demonstration content of the site; returns a sentence about it. */
export async function addSiteDemo(pool: Pool, at: Date): Promise<string> {
  for (const [title, content] of posts) await insertPost(pool, { title, content, at })
  for (const [title, media_type, url] of media) await insertItem(pool, { title, media_type, url, at })
  for (const username of ['ada', 'grace', 'linus']) await insertSession(pool, { username, at })
  await insertActivity(pool, activity, at)
  await upsertStatistics(pool, statistics)
  return `added ${posts.length} news posts, ${media.length} media items, 3 users online, ${activity.length} activity entries`
}
