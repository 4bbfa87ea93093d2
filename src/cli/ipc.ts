import * as v from 'valibot'

/** The other end of the channel between the primary process and a worker (node:cluster). */
export interface Peer {
  send: (message: object) => void
  on: (event: 'message', listener: (message: unknown) => void) => unknown
  off: (event: 'message', listener: (message: unknown) => void) => unknown
}

const Question = v.object({ question: v.string(), number: v.number() })
const Answer = v.object({ answerTo: v.number(), value: v.unknown() })

let lastNumber = 0

/** Asks the other process; undefined if it does not know the answer, or does not give it in time. */
export function ask(peer: Peer, question: string, milliseconds: number): Promise<unknown> {
  const number = ++lastNumber
  return new Promise((resolve) => {
    const end = (value?: unknown) => {
      clearTimeout(timer)
      peer.off('message', hear)
      resolve(value)
    }
    const hear = (message: unknown) => {
      const answer = v.safeParse(Answer, message)
      if (answer.success && answer.output.answerTo === number) end(answer.output.value)
    }
    const timer = setTimeout(end, milliseconds)
    peer.on('message', hear)
    peer.send({ question, number })
  })
}

/** Answers questions of the other process, by their names, until it ends. */
export function answer(peer: Peer, answers: Readonly<Record<string, () => Promise<unknown>>>): void {
  peer.on('message', (message) => {
    const asked = v.safeParse(Question, message)
    if (!asked.success) return
    const { question, number } = asked.output
    const value = answers[question]?.() ?? Promise.resolve()
    value.then(
      (found) => peer.send({ answerTo: number, value: found }),
      () => peer.send({ answerTo: number }),
    )
  })
}
