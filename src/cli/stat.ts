import {
  allStatistics,
  defaults,
  deleteStatistic,
  isStatisticKey,
  upsertStatistics,
} from '../site/statistic-store.ts'
import { type Command, UsageError } from './command.ts'

const keys = Object.keys(defaults).join(', ')

function keyOf(name: string) {
  if (isStatisticKey(name)) return name
  throw new UsageError(`there is no figure "${name}"; figures are ${keys}`)
}

const set: Command = {
  name: 'stat set',
  usage: '<key> <value>',
  summary: `set a figure of the overview: ${keys}`,
  async run({ args, pool, print }) {
    const [name, value] = args
    if (name === undefined) throw new UsageError(`stat set takes a key and one value; keys are ${keys}`)
    const key = keyOf(name)
    if (value === undefined || args.length > 2) throw new UsageError('stat set takes a key and one value')
    await upsertStatistics(pool, { [key]: value })
    print(`${key} = ${value}`)
  },
}

const list: Command = {
  name: 'stat list',
  usage: '',
  summary: 'list all figures, including defaults',
  async run({ pool, print }) {
    for (const [key, value] of Object.entries(await allStatistics(pool))) print(`${key} = ${value}`)
  },
}

const unset: Command = {
  name: 'stat unset',
  usage: '<key>',
  summary: 'reset a figure to its default',
  async run({ args, pool, print }) {
    const [name] = args
    if (name === undefined || args.length > 1)
      throw new UsageError(`stat unset takes one key; keys are ${keys}`)
    const key = keyOf(name)
    await deleteStatistic(pool, key)
    print(`${key} = ${defaults[key]}`)
  },
}

export const statCommands = [set, list, unset]
