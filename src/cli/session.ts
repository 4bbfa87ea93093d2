import { parseDuration } from '../common/units.ts'
import { endSessionsBefore } from '../site/session-store.ts'
import { type Command, UsageError } from './command.ts'

const end: Command = {
  name: 'session end',
  usage: '--older-than <duration>',
  summary: 'end sessions that started longer ago than this, for example 2h',
  options: { 'older-than': { type: 'string' } },
  async run({ options, pool, clock, print }) {
    const age = parseDuration(String(options['older-than']))
    if (age === undefined) throw new UsageError('--older-than takes a duration such as 30m, 2h or 1d')
    const now = clock()
    const ended = await endSessionsBefore(pool, new Date(now.getTime() - age), now)
    print(`${ended} ended`)
  },
}

export const sessionCommands = [end]
