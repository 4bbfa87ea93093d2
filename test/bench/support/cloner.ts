import { Agent, type IncomingMessage, request } from 'node:http'

const agent = new Agent({ keepAlive: true })

/** Clones a repository as git does (gitprotocol-http(5)), and throws away what comes. */
export class Cloner {
  /** Clones that came to their end. */
  done = 0
  #stopped = false

  constructor(
    readonly address: URL,
    /** A clone of fewer bytes is none. */
    readonly least: number,
  ) {}

  /** One clone after another, at least one, until it is stopped. @throws Error at an answer that is no clone */
  async cloneOn(): Promise<void> {
    do {
      await this.#clone()
      this.done++
    } while (!this.#stopped)
  }

  stop(): void {
    this.#stopped = true
  }

  async #clone(): Promise<void> {
    const listed = await ask(`${this.address}/info/refs?service=git-upload-pack`)
    const head = /([0-9a-f]{40}) HEAD\0/.exec(await textOf(listed))?.[1]
    if (head === undefined) throw new Error('There is no HEAD')
    const wants = `${packet(`want ${head} side-band-64k ofs-delta no-progress\n`)}0000${packet('done\n')}`
    const answer = await ask(`${this.address}/git-upload-pack`, wants)
    let bytes = 0
    for await (const chunk of answer) bytes += chunk.length
    if (answer.statusCode !== 200 || bytes < this.least)
      throw new Error(`A clone answered ${answer.statusCode} with ${bytes} bytes`)
  }
}

const packet = (line: string) => (line.length + 4).toString(16).padStart(4, '0') + line

function ask(address: string, body?: string): Promise<IncomingMessage> {
  const headers = body === undefined ? {} : { 'content-type': 'application/x-git-upload-pack-request' }
  return new Promise((resolve, reject) => {
    request(address, { method: body === undefined ? 'GET' : 'POST', headers, agent })
      .on('response', resolve)
      .on('error', reject)
      .end(body)
  })
}

async function textOf(answer: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of answer.setEncoding('latin1')) text += chunk
  return text
}
