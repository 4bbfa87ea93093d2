import { type Html, html } from './html.ts'

/** One sample of presence. */
export interface Sample {
  /** ISO 8601. */
  at: string
  users: number
}

const size = { width: 720, height: 200, left: 34, bottom: 24, top: 16 }
const day = 24 * 3_600_000

/**
 * Presence over the last day as a picture: a step for each sample, with the same as a table, hour by hour, for those
 * who do not see it. `now`: the right end of the picture.
 */
export function presenceChart(past: readonly Sample[], now: Sample): Html {
  const samples = [...past, now]
  const from = Date.parse(now.at) - day
  const peak = samples.reduce((best, each) => (each.users > best.users ? each : best))
  const top = niceTop(peak.users)
  const x = (moment: number) => size.left + ((Math.max(moment, from) - from) / day) * (size.width - size.left)
  const y = (users: number) => size.top + (1 - users / top) * (size.height - size.bottom - size.top)
  const points = samples.map(({ at, users }) => `${x(Date.parse(at)).toFixed(1)},${y(users).toFixed(1)}`)
  const end = `${size.width},${y(now.users).toFixed(1)}`
  const line = [...points, end].join(' ')
  const start = x(Date.parse(samples[0]?.at ?? now.at)).toFixed(1)
  const summary =
    peak.users === 0
      ? 'Nobody was online.'
      : `At most ${peak.users} at once, at ${peak.at.slice(11, 16)} UTC; ${now.users} now.`
  return html`<svg class="chart" viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="Users online over the last day. ${summary}">
${[0, top / 2, top].map(
  (users) => html`<line class="rule" x1="${size.left}" x2="${size.width}" y1="${y(users)}" y2="${y(users)}"/>
<text x="${size.left - 6}" y="${y(users) + 4}" text-anchor="end">${users}</text>`,
)}
${[0, 6, 12, 18].map((hours) => {
  const moment = Math.ceil(from / (day / 4)) * (day / 4) + hours * 3_600_000
  const at = x(moment)
  // Near an end a label would not fit around its moment.
  const anchor = at > size.width - 50 ? 'end' : at < size.left + 50 ? 'start' : 'middle'
  return html`<text x="${at.toFixed(1)}" y="${size.height - 6}" text-anchor="${anchor}">${new Date(moment).toISOString().slice(11, 16)} UTC</text>`
})}
<polygon class="area" points="${start},${y(0)} ${line} ${size.width},${y(0)}"/>
<polyline class="line" points="${line}"/>
</svg>
<p class="meta">${summary}</p>
<details>
<summary>As a table</summary>
${table(samples)}
</details>`
}

/** The highest number of each hour. */
function table(samples: readonly Sample[]): Html {
  const hours = new Map<string, number>()
  for (const { at, users } of samples) {
    const hour = `${at.slice(0, 10)} ${at.slice(11, 13)}:00`
    hours.set(hour, Math.max(users, hours.get(hour) ?? 0))
  }
  return html`<table class="table">
<caption>Most users online in each hour (UTC)</caption>
<thead><tr><th scope="col">Hour</th><th scope="col">Users</th></tr></thead>
<tbody>${[...hours].map(([hour, users]) => html`<tr><th scope="row">${hour}</th><td>${users}</td></tr>`)}</tbody>
</table>`
}

/** The next even 1, 2 or 5 times a power of ten that is not below a number; at least 2. */
function niceTop(users: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(users, 1)))
  const step = [1, 2, 4, 6, 10].find((each) => each * power >= users) ?? 10
  return Math.max(2, step * power)
}
