import { insertActivity } from '../site/activity.ts'
import { insertItem } from '../site/media.ts'
import { hasPost, insertPost } from '../site/news.ts'
import { insertSession } from '../site/sessions.ts'
import { upsertStatistics } from '../site/statistics.ts'
import { type Command, UsageError } from './command.ts'

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

const seed: Command = {
  name: 'seed',
  usage: '',
  summary: 'add a small demonstration data set',
  async run({ pool, clock, print }) {
    const [[title, content]] = posts
    if (await hasPost(pool, { title, content }))
      throw new UsageError('the demonstration data set is there already; nothing was added')
    const at = clock()
    for (const [title, content] of posts) await insertPost(pool, { title, content, at })
    for (const [title, media_type, url] of media) await insertItem(pool, { title, media_type, url, at })
    for (const username of ['ada', 'grace', 'linus']) await insertSession(pool, { username, at })
    await insertActivity(pool, activity, at)
    await upsertStatistics(pool, statistics)
    print(
      `added ${posts.length} news posts, ${media.length} media items, 3 users online, ${activity.length} activity entries`,
    )
  },
}

export const seedCommands = [seed]
