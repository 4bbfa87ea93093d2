import { Agent, type IncomingMessage, request } from 'node:http'
import { setPriority } from 'node:os'
import { buffer } from 'node:stream/consumers'

/**
 * Clones a repository as git does (gitprotocol-http(5)) and throws away what comes, until it is told to stop; then ends
 * what it has begun and says how much it did. Words: address, clones at once, least megabytes of each.
 */
const [address = '', atOnce = '1', megabytes = '0'] = process.argv.slice(2)
setPriority(19)
const agent = new Agent({ keepAlive: true })
const began = performance.now()
let [clones, stopped] = [0, false]
process.once('SIGTERM', () => {
  stopped = true
})
await Promise.all(Array.from({ length: Number(atOnce) }, cloneOn))
console.log(JSON.stringify({ clones, seconds: (performance.now() - began) / 1000 }))
process.exit(0)

/** One clone after another, at least one. @throws Error at an answer that is no clone */
async function cloneOn(): Promise<void> {
  do {
    const listed = await buffer(await ask(`${address}/info/refs?service=git-upload-pack`))
    const head = /([0-9a-f]{40}) HEAD\0/.exec(listed.toString('latin1'))?.[1]
    if (head === undefined) throw new Error('There is no HEAD')
    const wants = `${packet(`want ${head} side-band-64k ofs-delta no-progress\n`)}0000${packet('done\n')}`
    const answer = await ask(`${address}/git-upload-pack`, wants)
    let bytes = 0
    for await (const chunk of answer) bytes += chunk.length
    if (answer.statusCode !== 200 || bytes < Number(megabytes) * 1e6)
      throw new Error(`A clone answered ${answer.statusCode} with ${bytes} bytes`)
    clones++
  } while (!stopped)
}

function packet(line: string): string {
  return (line.length + 4).toString(16).padStart(4, '0') + line
}

function ask(url: string, body?: string): Promise<IncomingMessage> {
  const headers = body === undefined ? {} : { 'content-type': 'application/x-git-upload-pack-request' }
  return new Promise((resolve, reject) => {
    request(url, { method: body === undefined ? 'GET' : 'POST', headers, agent })
      .on('response', resolve)
      .on('error', reject)
      .end(body)
  })
}
