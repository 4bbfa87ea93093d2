import { insertActivity, newestActivity } from '../site/activity-store.ts'
import type { ActivityEntry } from '../site/site.shape.ts'
import { type Command, UsageError } from './command.ts'

const add: Command = {
  name: 'activity add',
  usage: '<description>',
  summary: 'add an entry to the recent activity',
  async run({ args, pool, clock, print }) {
    const description = args.join(' ')
    if (description === '') throw new UsageError('activity add takes a description')
    for (const entry of await insertActivity(pool, [description], clock())) print(lineOf(entry))
  },
}

const list: Command = {
  name: 'activity list',
  usage: '[--limit 20]',
  summary: 'list the newest entries',
  options: { limit: { type: 'string', default: '20' } },
  async run({ options, pool, print }) {
    const limit = Number(options.limit)
    if (!Number.isSafeInteger(limit) || limit < 1)
      throw new UsageError('--limit takes a number of at least 1')
    for (const entry of await newestActivity(pool, limit)) print(lineOf(entry))
  },
}

const lineOf = ({ id, created_at, description }: ActivityEntry) => `${id}  ${created_at}  ${description}`

export const activityCommands = [add, list]
