import { median } from '../support/bench.ts'
import { openCaller } from '../support/caller.ts'
import { requestText } from '../support/connection.ts'
import { processCpu } from '../support/process.ts'
import type { Readers } from './fill.ts'
import { type Asker, questions } from './questions.ts'

/**
 * A list, who asked for it, and in how many milliseconds it was answered: the middle and the shortest time, and the time of
 * a processor in the server and its database, which what else the machine does does not change much.
 */
export interface Answered {
  asker: Asker
  path: string
  median: number
  least: number
  processor: number
}

/** A server with long lists: where it listens, the processes that answer, and who may ask. */
export interface Asked {
  port: number
  processes: readonly number[]
  readers: Readers
}

/** Something that is written before each question, so that no answer that was kept holds. */
const write = requestText('POST', '/api/stats/session/start', JSON.stringify({ username: 'visitor-1' }))

/** Asks every question so many times, one after another over one connection. */
export async function askAll(
  asked: Asked,
  times: number,
  heard: (answered: Answered) => void,
): Promise<void> {
  for (const { askers, paths } of questions)
    for (const path of paths)
      for (const asker of askers)
        try {
          heard({ asker, path, ...(await askOne(asked, requestOf(path, asker, asked.readers), times)) })
        } catch (error) {
          throw new Error(`${asker} asked ${path}`, { cause: error })
        }
}

async function askOne(
  { port, processes }: Asked,
  request: string,
  times: number,
): Promise<Pick<Answered, 'median' | 'least' | 'processor'>> {
  const used = () => processes.reduce((sum, pid) => sum + (processCpu(pid) ?? 0), 0)
  const caller = openCaller(port)
  const each: number[] = []
  try {
    // The database plans the statement once.
    await caller.ask(request)
    const before = used()
    for (let time = 0; time < times; time++) {
      await caller.ask(write)
      each.push(await caller.ask(request))
    }
    const processor = ((used() - before) * 1000) / times
    return { median: median(each), least: Math.min(...each), processor }
  } finally {
    caller.close()
  }
}

function requestOf(path: string, asker: Asker, readers: Readers): string {
  const text = requestText('GET', path)
  const accept = path.startsWith('/api/') ? 'application/json' : 'text/html'
  const token = asker === 'anonymous' ? [] : [`Authorization: token ${readers[asker]}`]
  return text.replace('\r\n\r\n', `\r\n${[`Accept: ${accept}`, ...token].join('\r\n')}\r\n\r\n`)
}
