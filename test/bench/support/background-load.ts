import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'

/** Something that is asked one after another beside a measurement. */
export interface BackgroundLoad {
  /** Waits for the last answer; gives how many there were, and how many of them were refusals. */
  stop: () => Promise<{ done: number; refused: number }>
}

/** Renders a document over and over, a new one each time; it may take too long. @throws Error in `stop` for another answer */
export function startRendering(port: number, authorization: string, text: string): BackgroundLoad {
  let running = true
  let [done, refused] = [0, 0]
  const work = async () => {
    while (running) {
      const body = `${text}\n\n${done + refused}`
      const headers = {
        authorization,
        'content-type': 'text/plain',
        'content-length': Buffer.byteLength(body),
      }
      const sent = request({ port, method: 'POST', path: '/api/v1/markdown/raw', headers })
      sent.end(body)
      const [answer] = (await once(sent, 'response')) as [IncomingMessage]
      answer.resume()
      await once(answer, 'end')
      if (answer.statusCode === 200) done++
      else if (answer.statusCode === 422) refused++
      else throw new Error(`Rendering was answered with ${answer.statusCode}`)
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
