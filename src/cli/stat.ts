import {
  allStatistics,
  defaults,
  deleteStatistic,
  isStatisticKey,
  upsertStatistic,
} from '../site/statistics.ts'
import { type Command, UsageError } from './command.ts'
import { none } from './named.ts'

const keys = Object.keys(defaults).join(', ')

function keyOf(word: string | undefined) {
  if (word !== undefined && isStatisticKey(word)) return word
  throw new UsageError(`${word ?? 'nothing'} is no statistic; there are ${keys}`)
}

const set: Command = {
  name: 'stat set',
  takes: '<key> <value>',
  summary: `set a figure of the overview: ${keys}`,
  async run({ words, pool, print }) {
    const [word, value] = words
    const key = keyOf(word)
    if (value === undefined || words.length > 2) throw new UsageError('stat set takes a key and one value')
    await upsertStatistic(pool, key, value)
    print(`${key} = ${value}`)
  },
}

const list: Command = {
  name: 'stat list',
  takes: '',
  summary: 'show all figures, set or by default',
  async run({ words, pool, print }) {
    none({ words })
    for (const [key, value] of Object.entries(await allStatistics(pool))) print(`${key} = ${value}`)
  },
}

const unset: Command = {
  name: 'stat unset',
  takes: '<key>',
  summary: 'give a figure back to its default',
  async run({ words, pool, print }) {
    const key = keyOf(words[0])
    if (words.length > 1) throw new UsageError('stat unset takes one key')
    await deleteStatistic(pool, key)
    print(`${key} = ${defaults[key]}`)
  },
}

export const statCommands = [set, list, unset]
