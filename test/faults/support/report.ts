import { loadavg } from 'node:os'
import { median } from '../../bench/support/bench.ts'
import { madeOn } from '../../bench/support/machine.ts'
import { complaintsOf, type Fault, type Finding } from './fault.ts'

const columns = [
  'Fault',
  'Callers saw',
  'Lost',
  'Doubled',
  'Longest time without an acknowledged post',
  'Acknowledged again after the repair',
  'Answers: median, longest',
]

const head = `# What callers see when something fails

\`npm run faults\` writes this page. It starts the built server on a temporary PostgreSQL with \`fsync\` on, or on the
embedded database. 20 callers publish and read one request after another while it injects one fault at a time.

- *Callers saw* counts the outcomes of all requests from the beginning of the fault to the end of the load, some time
  after the repair. A caller that gets no answer within 30 s gives up.
- *Lost* posts were acknowledged (201) and are not in the database at the end; *doubled* posts are there more than once.
  Both must be 0.
- *Longest time without an acknowledged post* includes the time until the script repairs the fault, which the first column
  states. The rest is the time that the server needs to recover.
- *Answers* counts only answers with a 2xx status.

Debian's package \`faketime\` changes the clock of the server only; without the package, that row says that the fault was not
injected. A separate test simulates a day of all scheduled tasks on a stopped clock: \`test/background/cron/day.test.ts\`.
`

/** The whole page. `load` is the load average of the machine before the first fault. */
export function pageOf(rows: readonly string[], load: number): string {
  const busy = `At the start the load average was ${load.toFixed(1)}: ${
    load > 1 ? 'the machine was busy, and times on an idle one are shorter' : 'the machine was idle'
  }.`
  const rule = columns.map((_, at) => (at < 2 ? '---' : '---:'))
  return `${head}\n${madeOn()} ${busy}\n\n${[line(columns), line(rule), ...rows].join('\n')}\n`
}

/** The load average of the last minute. */
export const machineLoad = () => loadavg()[0] ?? 0

/** The row of a fault that was injected. */
export function rowOf({ title }: Fault, finding: Finding): string {
  const { saw, lost, doubled, gap, again, times, note } = finding
  const outcomes = [...saw].sort(([, one], [, other]) => other - one)
  const said = outcomes.map(([outcome, count]) => `${outcome} × ${count.toLocaleString('en')}`).join(', ')
  const complaints = complaintsOf(finding).map((complaint) => `**${complaint}**`)
  return line([
    title,
    [said, note, ...complaints].filter(Boolean).join('. ').replaceAll('..', '.'),
    String(lost),
    String(doubled),
    seconds(gap),
    again === undefined ? '**never**' : seconds(again),
    times.length > 0 ? `${seconds(median(times))}, ${seconds(times.at(-1) ?? 0)}` : '—',
  ])
}

/** The row of a fault without measurements. */
export const rowWithout = ({ title }: Fault, why: string) => line([title, why, '—', '—', '—', '—', '—'])

const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`

const seconds = (milliseconds: number) =>
  milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`
