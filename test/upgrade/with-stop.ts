import { execFileSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import type { BenchContext } from '../bench/support/bench.ts'
import { type Upgrade, underMixedLoad } from './parts.ts'
import type { Previous } from './previous.ts'

/**
 * Stops the old program, copies database and folder, and starts the new one on the same port. Then it goes back to the
 * copy, with the old program.
 */
export async function withStop(context: BenchContext, previous: Previous): Promise<Upgrade> {
  let before: () => Promise<void> = async () => {}
  const upgrade = await underMixedLoad(context, previous, 'with_stop', async (parts, old) => {
    const { start, last, servers, load, place, dataDir } = parts
    const [server] = servers
    const name = (text: string) => {
      if (server) server.name = text
    }
    name('while the programs are exchanged')
    const began = performance.now()
    await old.stop()
    const stopped = performance.now()
    const copy = await copyOf(context, place, dataDir)
    const copied = performance.now()
    const running = await start('new', old.port)
    const gap = performance.now() - began - (copied - stopped)
    name('the new one alone')
    await last()
    const kept = [...load.acknowledged.posts].filter((title) => copy.titles.has(title))
    before = async () => {
      await copy.bringBack()
      const back = await start('old')
      const answer = await fetch(`http://127.0.0.1:${back.port}/api/news?limit=100`)
      const posts: { title: string }[] = await answer.json()
      await back.stop()
      if (!posts.some(({ title }) => kept.includes(title)))
        throw new Error('The copy lacks what was acknowledged')
    }
    return { running, gap }
  })
  await before()
  return upgrade
}

/** Copies a database with `pg_dump`, and the folder of a server that is stopped. */
async function copyOf(context: BenchContext, { url }: { url: string }, dataDir: string) {
  const { bin } = await context.postgres()
  const dump = join(context.folder, 'dump')
  const folder = join(context.folder, 'copy')
  execFileSync(join(bin, 'pg_dump'), ['-Fc', '-f', dump, url])
  cpSync(dataDir, folder, { recursive: true })
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  const rows = await sql<{ title: string }[]>`select title from site.news_post`
  await sql.end()
  return {
    titles: new Set(rows.map(({ title }) => title)),
    bringBack: async () => {
      const again = postgres(url, { max: 1, onnotice: () => {} })
      await again`drop schema site, forge, forgehall cascade`
      await again.end()
      execFileSync(join(bin, 'pg_restore'), ['--exit-on-error', '-d', url, dump])
      rmSync(dataDir, { recursive: true })
      cpSync(folder, dataDir, { recursive: true })
    },
  }
}
