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

const head = `# What a fault does

Written by \`npm run faults\`, which starts the built server on a throw-away PostgreSQL with \`fsync\` on, or on the
embedded database, and lets 20 callers publish and read one request after another while it brings one fault at a time.

- *Callers saw* counts the outcomes of all requests from the beginning of the fault to the end of the load, some time
  after the repair. A caller that gets no answer within 30 s gives up.
- *Lost* are posts that were acknowledged (201) and are not in the database at the end; *doubled* those that are there
  more than once. Both must be 0.
- The longest time without an acknowledged post includes the time until the script repairs what it broke, as it stands in the
  first column. What follows the repair is the server's own share.
- *Answers* are those with a status of 2xx.

The clock is set for the server alone, by Debian's package \`faketime\`; without it that row says that it was not brought.
A day of all scheduled tasks passes in the suite, on a stopped clock: \`test/background/cron/day.test.ts\`.
`

/** The whole page. `load` is the load average of the machine before the faults were brought. */
export function pageOf(rows: readonly string[], load: number): string {
  const busy = `At the start ${load.toFixed(1)} processes wanted a processor: ${
    load > 1 ? 'the machine was busy, and times on an idle one are shorter' : 'the machine was idle'
  }.`
  const rule = columns.map((_, at) => (at < 2 ? '---' : '---:'))
  return `${head}\n${madeOn()} ${busy}\n\n${[line(columns), line(rule), ...rows].join('\n')}\n`
}

/** The load average of the last minute. */
export const machineLoad = () => loadavg()[0] ?? 0

/** The row of a fault that was brought. */
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

/** The row of a fault of which nothing was measured. */
export const rowWithout = ({ title }: Fault, why: string) => line([title, why, '—', '—', '—', '—', '—'])

const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`

const seconds = (milliseconds: number) =>
  milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`
