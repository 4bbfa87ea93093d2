import { onBareServers, type Question, readAgainstBare, readers } from './support/against-bare.ts'
import type { Bench } from './support/bench.ts'
import { thousandEach } from './support/fill.ts'
import { newFilled, startProduct } from './support/servers.ts'

/** What people and their tools read, and whether they take it compressed. */
const questions: readonly Question[] = [
  ['/'],
  ['/overview'],
  ['/api/swagger'],
  ['/api/swagger', 'br'],
  ['/openapi3.v1.json'],
  ['/openapi3.v1.json', 'br'],
]

export const pages: Bench = {
  name: 'pages',
  about: `Pages and documents over ${readers} connections, plain and in brotli, against bare \`node:http\` writing as \
many bytes, with two headers and with as many as ours. On a PostgreSQL server with 1,000 posts, with \
\`LOG_LEVEL=warn\`; many short rounds, every other one in the reverse order; a share is of two rates within a round.`,
  async run(context) {
    const server = await startProduct(context, await newFilled(context, 'PostgreSQL', 'pages', thousandEach))
    return await onBareServers(context, server, (servers) => readAgainstBare(context, servers, questions))
  },
}
