import { setTimeout as pause } from 'node:timers/promises'

/** Something that is asked one after another beside a measurement. */
export interface BackgroundLoad {
  /** Waits for the last answer; gives how many there were, and how many of them were refusals. */
  stop: () => Promise<{ done: number; refused: number }>
}

/** Renders a document over and over, a new one each time; it may take too long. @throws Error in `stop` for another answer */
export function startRendering(port: number, authorization: string, text: string): BackgroundLoad {
  const headers = { authorization, 'content-type': 'text/plain' }
  return repeat(async (number) => {
    const status = await post(port, '/api/v1/markdown/raw', `${text}\n\n${number}`, headers)
    if (status !== 200 && status !== 422) throw new Error(`Rendering was answered with ${status}`)
    return status === 200
  })
}

/** Publishes so many posts in a second, or as many as one after another can be. @throws Error in `stop` for another answer */
export function startPublishing(port: number, perSecond: number, content: string): BackgroundLoad {
  return repeat(async (number) => {
    const due = pause(1000 / perSecond)
    const body = JSON.stringify({ title: `Beside, ${number}`, content })
    const status = await post(port, '/api/news', body, { 'content-type': 'application/json' })
    if (status !== 201) throw new Error(`Publishing was answered with ${status}`)
    await due
    return true
  })
}

/** Reads the metrics once in so many milliseconds, as Prometheus does. @throws Error in `stop` for another answer than 200 */
export function startScraping(port: number, every: number): BackgroundLoad {
  return repeat(async () => {
    const due = pause(every)
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`)
    await answer.arrayBuffer()
    if (answer.status !== 200) throw new Error(`The metrics were answered with ${answer.status}`)
    await due
    return true
  })
}

/** Asks one after another until it is stopped; `ask` gets the number of answers so far and tells whether it was no refusal. */
function repeat(ask: (number: number) => Promise<boolean>): BackgroundLoad {
  let running = true
  let [done, refused] = [0, 0]
  const work = async () => {
    while (running) {
      if (await ask(done + refused)) done++
      else refused++
    }
  }
  const end = work()
  // It is told in `stop`.
  end.catch(() => {})
  return {
    stop: async () => {
      running = false
      await end
      return { done, refused }
    },
  }
}

/** The status of the answer to a body. */
async function post(
  port: number,
  path: string,
  body: string,
  headers: Record<string, string>,
): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body })
  await answer.arrayBuffer()
  return answer.status
}
