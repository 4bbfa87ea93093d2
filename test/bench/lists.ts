import { type Answered, askAll } from './lists/ask.ts'
import { fillLists, secretKey } from './lists/fill.ts'
import { isDeep } from './lists/questions.ts'
import { atMost, type Bench, type BenchContext, key, type Report } from './support/bench.ts'
import { rounded } from './support/figures.ts'
import { type Kind, kinds, newDatabase, newFolder, startProduct } from './support/servers.ts'

/** Times that each list is asked for. */
const times = 10
/** Milliseconds in which a list answers. */
const wanted = 30
/** The slowest lists are told; all others are faster. */
const told = 40
/** The embedded database is not for a million issues: it has so many times fewer. */
const fewer = { PostgreSQL: 1, embedded: 10 } as const
/** With fewer issues there would not be all that is asked for. */
const fewest = 20_000

export const lists: Bench = {
  name: 'lists',
  about: `Every list and search of the pages and of the API that may become long, as an administrator, as a member and \
anonymous, ${times} times one after another, each after a write, so that nothing is kept. A tenth as many accounts, \
repositories, packages, threads, audit entries and presence sessions as issues, of which a tenth are in one repository; as \
many jobs as issues. The time of a processor is that of the server and of the database for one answer (and the write before \
it), in steps of 1 ms: on a machine that does other work it says more than the median, and on an idle one less; the lower of \
both counts. Deep pages, which read what is before them, are told apart.`,
  async run(context) {
    const report: Report = { tables: [], targets: [], notes: [] }
    for (const kind of kinds) await measureOn(context, kind, report)
    return report
  },
}

async function measureOn(context: BenchContext, kind: Kind, report: Report): Promise<void> {
  const rows = Math.max(fewest, Math.round(context.settings.rows / fewer[kind]))
  context.say(`${kind}: filling a database with ${rows} issues`)
  const place = kind === 'PostgreSQL' ? await newDatabase(context, 'lists') : newFolder(context, 'lists')
  const readers = await fillLists(place, rows)
  const server = await startProduct(context, place, { settings: { SECRET_KEY: secretKey } })
  const processes = kind === 'PostgreSQL' ? [server.pid, (await context.postgres()).pid()] : [server.pid]
  const all: Answered[] = []
  try {
    await askAll({ port: server.port, processes, readers }, times, (answered) => {
      all.push(answered)
      context.say(`${answered.asker} ${answered.path}: ${answered.median.toFixed(1)} ms`)
    })
  } finally {
    await server.kill()
  }
  addTo(report, `${rows.toLocaleString('en')} issues on ${kind}`, all)
}

function addTo(report: Report, heading: string, all: readonly Answered[]): void {
  const slowest = all.toSorted((one, other) => timeOf(other) - timeOf(one))
  const rows = slowest
    .slice(0, told)
    .map(({ asker, path, ...figures }) => [
      `${asker} \`${path}\``,
      ...[figures.median, figures.least, figures.processor].map(rounded),
    ])
  report.tables.push({
    columns: [`The slowest of ${all.length}, ${heading}`, 'median, ms', 'least, ms', 'processor, ms'],
    rows,
  })
  const near = slowest.find(({ path }) => !isDeep(path))
  const far = slowest.find(({ path }) => isDeep(path))
  if (near)
    report.targets.push(key(atMost(`${heading}: ${near.asker} ${near.path}`, wanted, timeOf(near), 'ms')))
  if (far) report.targets.push(atMost(`${heading}: ${far.asker} ${far.path}`, 300, timeOf(far), 'ms'))
}

/** Milliseconds that count against the target. */
const timeOf = ({ median, processor }: Answered) => Math.min(median, processor)
