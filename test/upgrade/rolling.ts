import type { BenchContext } from '../bench/support/bench.ts'
import type { Child } from '../bench/support/child.ts'
import { type Parts, type Upgrade, underMixedLoad } from './parts.ts'
import type { Previous } from './previous.ts'

type Which = 'old' | 'new'

/** Two programs that share the load. */
type Pair = [Running, Running]

interface Running {
  which: Which
  program: Child
}

/**
 * Exchanges two old programs for new ones, one after the other, and goes back the same way. Each stops before its
 * successor starts; the other one serves meanwhile.
 */
export const rolling = (context: BenchContext, previous: Previous): Promise<Upgrade> =>
  underMixedLoad(context, previous, 'rolling', async (parts, old) => {
    const pair: Pair = [
      { which: 'old', program: old },
      { which: 'old', program: await parts.start('old') },
    ]
    await serve(parts, pair, 'two old programs')
    await exchange(parts, pair, 0, 'new')
    await serve(parts, pair, 'one of each')
    await exchange(parts, pair, 1, 'new')
    await serve(parts, pair, 'two new programs')
    await exchange(parts, pair, 0, 'old')
    await serve(parts, pair, 'one of each, on the way back')
    await exchange(parts, pair, 1, 'old')
    await serve(parts, pair, 'two old programs again')
    const [one, other] = pair
    await leave(parts, other, one, 'the end')
    return { running: one.program }
  })

/** Sends requests to both for a while. */
async function serve({ servers, last }: Parts, pair: Pair, state: string): Promise<void> {
  servers.splice(0, servers.length, ...pair.map((each) => serverOf(each, state)))
  await last()
}

/** Stops one of a pair and starts another program in its place. */
async function exchange(parts: Parts, pair: Pair, place: 0 | 1, which: Which): Promise<void> {
  const [leaving, staying] = place === 0 ? pair : [pair[1], pair[0]]
  await leave(parts, leaving, staying, `while one ${leaving.which} program leaves`)
  pair[place] = { which, program: await parts.start(which) }
}

/** Takes a program from the list first, as whoever exchanges programs behind nginx does, and stops it. */
async function leave(
  { servers, load }: Parts,
  leaving: Running,
  staying: Running,
  state: string,
): Promise<void> {
  servers.splice(0, servers.length, serverOf(staying, state))
  await load.left(leaving.program.port)
  await leaving.program.stop()
}

const serverOf = ({ which, program }: Running, state: string) => ({
  name: `${state}, answered by the ${which} program`,
  port: program.port,
})
