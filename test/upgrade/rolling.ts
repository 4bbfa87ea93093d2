import type { Ground } from '../bench/support/bench.ts'
import type { Child } from '../bench/support/child.ts'
import { type Parts, type Upgrade, underMixedLoad } from './parts.ts'
import type { Previous } from './previous.ts'

/** Starts the new program beside the old one, stops the old one, and goes back the same way; somebody always serves. */
export const rolling = (ground: Ground, previous: Previous): Promise<Upgrade> =>
  underMixedLoad(ground, previous, 'rolling', async (parts, old) => {
    const { start, last, load } = parts
    // Whoever exchanges programs behind nginx takes one from its list first.
    const stop = (program: Child) => load.left(program.port).then(program.stop)
    const newer = await start('new')
    ask(parts, { 'the old one beside the new one': old.port, 'the new one beside the old one': newer.port })
    await last()
    ask(parts, { 'the new one alone': newer.port })
    await stop(old)
    await last()
    const back = await start('old')
    ask(parts, { 'the new one, the old one back': newer.port, 'the old one come back': back.port })
    await last()
    ask(parts, { 'the old one alone again': back.port })
    await stop(newer)
    await last()
    return { running: back }
  })

/** Sends requests to these servers from now on. */
function ask({ servers }: Parts, those: Readonly<Record<string, number>>): void {
  servers.splice(0, servers.length, ...Object.entries(those).map(([name, port]) => ({ name, port })))
}
