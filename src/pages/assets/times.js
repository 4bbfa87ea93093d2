// Times as the reader counts them. On paper, where nothing counts on, they are whole.
const since = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' })
export const full = new Intl.DateTimeFormat('en-GB', {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
})

function relative(at, now) {
  const minutes = Math.round((at - now) / 60_000)
  if (Math.abs(minutes) < 1) return 'just now'
  if (Math.abs(minutes) < 60) return since.format(minutes, 'minute')
  if (Math.abs(minutes) < 24 * 60) return since.format(Math.round(minutes / 60), 'hour')
  if (Math.abs(minutes) < 30 * 24 * 60) return since.format(Math.round(minutes / 60 / 24), 'day')
  return day.format(at)
}

/** Shows all times below a node in the reader's zone: how long ago, or in full. What is selected stays as it is. */
export function showTimes(root, now, inFull = false) {
  const selection = getSelection()
  for (const time of root.querySelectorAll('time[datetime*="T"]')) {
    const at = new Date(time.dateTime)
    if (Number.isNaN(at.getTime()) || (root === document && holds(selection, time))) continue
    time.title = full.format(at)
    const text = inFull ? time.title : relative(at, now)
    if (time.textContent !== text) time.textContent = text
  }
}

export const holds = (selection, node) =>
  selection !== null && !selection.isCollapsed && selection.containsNode(node, true)

/** Shows the times of the page, and counts them on. */
export function keepTimes() {
  const show = () => showTimes(document, Date.now())
  show()
  setInterval(() => document.hidden || show(), 30_000)
  addEventListener('beforeprint', () => showTimes(document, Date.now(), true))
  addEventListener('afterprint', show)
}
