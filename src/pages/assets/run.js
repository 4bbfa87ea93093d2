// Keeps the page of a run or job up to date until it is done: the page is read again, and the parts that differ are
// replaced. Each reading without news doubles the wait for the next one.
import { keepTimes, showTimes } from './times.js'

const wait = { min: 2000, max: 30_000, now: 2000 }
const shown = () => document.getElementById('live')
const idsIn = (root) => [...root.querySelectorAll('[data-part]')].map(({ id }) => id).join()

function say(text) {
  const note = document.getElementById('live-note')
  if (note && note.textContent !== text) note.textContent = text
}

/** What is open stays open. */
function keepOpen(old, fresh) {
  const groups = fresh.querySelectorAll('details')
  for (const [at, group] of old.querySelectorAll('details').entries())
    if (groups[at]) groups[at].open = group.open
}

/** Whether something has changed. */
function replace(fresh) {
  const old = shown()
  // Both as the reader sees them now, so that only what is new differs.
  for (const root of [document, fresh]) showTimes(root, Date.now())
  const isRunning = 'running' in fresh.dataset
  if (idsIn(old) !== idsIn(fresh)) {
    keepOpen(old, fresh)
    old.replaceWith(document.adoptNode(fresh))
    return true
  }
  let hasChanged = false
  for (const part of fresh.querySelectorAll('[data-part]')) {
    const before = document.getElementById(part.id)
    if (before.innerHTML === part.innerHTML) continue
    hasChanged = true
    keepOpen(before, part)
    before.replaceChildren(...document.adoptNode(part).childNodes)
  }
  for (const step of fresh.querySelectorAll('details.step[open]')) {
    const before = document.getElementById(step.id)
    // A step that has begun opens; one that its reader has closed stays so.
    if (!before.dataset.seen) before.open = true
    before.dataset.seen = 'yes'
  }
  if (!isRunning) delete old.dataset.running
  return hasChanged
}

async function read() {
  if (!document.hidden) {
    try {
      const response = await fetch(location.href, { headers: { accept: 'text/html' } })
      const fresh = new DOMParser().parseFromString(await response.text(), 'text/html').getElementById('live')
      if (!response.ok || !fresh) throw new Error(String(response.status))
      wait.now = replace(fresh) ? wait.min : Math.min(wait.now * 2, wait.max)
      say('Live: what is new appears by itself')
    } catch {
      wait.now = Math.min(wait.now * 2, wait.max)
      say('Not live: the server does not answer')
    }
  }
  later()
}

function later() {
  if ('running' in shown().dataset) setTimeout(read, wait.now)
  else say('It is done.')
}

/** Brings the first error of the step that failed into view, or the end of what it has written. */
function showFault() {
  const fault = document.querySelector('.step[data-fault][open]')
  if (!fault || !['', `#${fault.id}`].includes(location.hash)) return
  const error = fault.querySelector('.log-error')
  if (error) error.scrollIntoView({ block: 'center' })
  else fault.scrollIntoView({ block: 'end' })
}

for (const step of document.querySelectorAll('.step[open]')) step.dataset.seen = 'yes'
keepTimes()
showFault()
// Browsers go to the step that the address names until all is loaded.
if (location.hash) addEventListener('load', showFault)
if ('running' in shown().dataset) {
  say('Live: what is new appears by itself')
  later()
}
