import type { Mounted } from '../../../src/http/route/api.ts'
import { routesOfApp } from '../routes.ts'

/** What the machine or the network causes: one operation of each API has to show it, not all that may meet with it. */
const faults = [408, 413, 503, 507]

/** What is declared though no request can cause it here. */
const exceptions: readonly { line: RegExp; why: string }[] = [
  {
    line: /\/actions\/runners(?:\/\{runner_id\})? 400$/,
    why: 'the specification lists it; a filter that cannot be read filters nothing, and such an id is one of nothing (404)',
  },
  {
    line: /\/signing-key\.(?:gpg|pub) 200$/,
    why: 'the server signs nothing, so it has no key to show; clients know the operation of other servers',
  },
  {
    line: /\/labels 303$/,
    why: 'one declaration serves the lists of all owners, and everybody sees the labels of a public repository',
  },
  {
    line: /\/diffpatch 409$/,
    why: 'only another push between the reading and the moving of the branch causes it; the tests of contents have that',
  },
  {
    line: /\/-\/packages\/.* 422$/,
    why: 'it deletes what its page shows: what is gone has no page on which a refusal could be shown',
  },
  {
    line: / \/(?:twirp|api\/actions_pipeline)\/.* (?:408|413|503|507)$/,
    why: 'parts of artifacts arrive and are sent as files of packages are; the tests of packages have that',
  },
  {
    line: / \/api\/packages\/.* 408$/,
    why: 'an upload must be silent for 30 seconds; test/http/pipeline/upload.test.ts has that with a shorter time',
  },
]

/**
 * What is declared and was not seen: a line for each operation and status, as `GET /api/news 200`. `routes` are those
 * of the server unless a test gives others.
 */
export function unproduced(seen: ReadonlySet<string>, routes: readonly Mounted[] = routesOfApp()): string[] {
  const lines = routes.flatMap((mounted) => {
    const { method, path, route } = mounted
    return [...new Set([route.returns.status, ...route.also, ...route.fails])].map((status) => ({
      line: `${method} ${path} ${status}`,
      fault: faults.includes(status) ? `${mounted.profile.base} ${status}` : undefined,
    }))
  })
  const isSeen = ({ line }: { line: string }) => seen.has(line)
  const shown = new Set(lines.filter(isSeen).map(({ fault }) => fault))
  const missing = lines.filter((each) => !isSeen(each) && !(each.fault && shown.has(each.fault)))
  return missing.map(({ line }) => line).filter((line) => !exceptions.some((each) => each.line.test(line)))
}
