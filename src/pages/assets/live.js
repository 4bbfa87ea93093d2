// In a page: keeps sections up to date. In a worker: holds the one event stream of all tabs of a browser, which over
// HTTP/1.1 has only six connections to a server.
import { holds, keepTimes, showTimes } from './times.js'

const scriptAddress = self.document?.currentScript?.src
const events = ['currentUsers', 'online', 'news', 'media', 'recentActivity', 'general', 'presence']

/** The next pause after a failure: twice as long each time, a minute at most. */
const longer = (milliseconds) => Math.min(milliseconds * 2, 60_000)

/** The worker: a tab joins with the address of the stream, and leaves with null. Without tabs there is no stream. */
function serveTabs() {
  const tabs = new Set()
  const stream = { source: undefined, timer: undefined, pause: 1000, state: 'lost' }
  const tell = (message) => {
    for (const tab of tabs) tab.postMessage(message)
  }
  const turn = (state) => {
    stream.state = state
    tell(state)
  }
  function open(address) {
    const source = new EventSource(address)
    stream.source = source
    for (const name of events) source.addEventListener(name, () => tell('changed'))
    source.addEventListener('open', () => {
      stream.pause = 1000
      turn('open')
    })
    source.addEventListener('error', () => {
      turn('lost')
      // After an answer that is no stream, such as 503, browsers do not try again by themselves.
      if (source.readyState !== EventSource.CLOSED) return
      stream.timer = setTimeout(() => open(address), stream.pause)
      stream.pause = longer(stream.pause)
    })
  }
  function leave(tab) {
    tabs.delete(tab)
    if (tabs.size > 0) return
    clearTimeout(stream.timer)
    stream.source?.close()
    stream.source = undefined
  }
  function serve(tab) {
    tab.onmessage = ({ data }) => {
      if (data === null) return leave(tab)
      tabs.add(tab)
      if (stream.source) tab.postMessage(stream.state)
      else open(data)
    }
  }
  if ('SharedWorkerGlobalScope' in self) self.onconnect = ({ ports: [tab] }) => serve(tab)
  else serve(self)
}

/** Makes the content of an element that of another one. Entries that are in both stay the same nodes. */
function become(old, next) {
  let at = old.firstChild
  const nodes = [...next.childNodes]
  for (const [index, node] of nodes.entries()) {
    const same = node.nodeType === Node.ELEMENT_NODE ? equalFrom(at, node) : undefined
    // The white space between elements is the same everywhere.
    const isLater =
      at?.nodeType === Node.ELEMENT_NODE && nodes.slice(index + 1).some((each) => each.isEqualNode(at))
    if (same) {
      while (at !== same) at = removed(at)
      at = same.nextSibling
    } else if (isAlike(at, node) && !isLater) {
      if (node.nodeType === Node.ELEMENT_NODE) turnInto(at, node)
      else if (at.data !== node.data) at.data = node.data
      at = at.nextSibling
    } else old.insertBefore(document.importNode(node, true), at)
  }
  while (at) at = removed(at)
}

function turnInto(old, next) {
  for (const { name } of [...old.attributes]) if (!next.hasAttribute(name)) old.removeAttribute(name)
  for (const { name, value } of next.attributes) old.setAttribute(name, value)
  become(old, next)
}

function equalFrom(first, node) {
  let each = first
  while (each && !each.isEqualNode(node)) each = each.nextSibling
  return each
}

function removed(node) {
  const { nextSibling } = node
  node.remove()
  return nextSibling
}

const isAlike = (one, other) => one?.nodeName === other.nodeName && one.id === other.id

/** Whether a section is like another one, whatever the reader has opened in it. */
function isShown(section, next) {
  const fresh = next.querySelectorAll('details')
  for (const [index, { open }] of section.querySelectorAll('details').entries())
    fresh[index]?.toggleAttribute('open', open)
  return section.isEqualNode(next)
}

/** Whether a reader is in the middle of something there: what changes waits until they leave it. */
const isInUse = (section) =>
  section.contains(document.activeElement) ||
  section.querySelector('details[open]') !== null ||
  holds(getSelection(), section)

/** Keeps what is read where it is on the screen, in browsers that do not do so by themselves. */
function inPlace(change) {
  const seen = CSS.supports('overflow-anchor', 'auto')
    ? null
    : document.elementFromPoint(innerWidth / 2, innerHeight / 3)?.closest('li, section')
  const before = seen?.getBoundingClientRect().top
  change()
  if (seen?.isConnected) scrollBy(0, seen.getBoundingClientRect().top - before)
}

/** The element that says whether the page is live; what it says follows from the rest. */
const live = { status: undefined, isOpen: false, hasFailed: false, isWaiting: false }

/** `fresh`: the page as it was read, as long as sections in use lack something of it. `next`: the earliest next read. */
const reading = {
  fresh: undefined,
  etag: undefined,
  timer: undefined,
  isRunning: false,
  isStale: false,
  pause: 1000,
  next: 0,
}

function tell(change) {
  Object.assign(live, change)
  live.status.dataset.state = live.isOpen && !live.hasFailed ? 'open' : 'lost'
  const text = sentence(live)
  if (live.status.textContent !== text) live.status.textContent = text
}

function sentence({ isOpen, hasFailed, isWaiting }) {
  if (hasFailed) return 'The changes cannot be read; trying again'
  if (!isOpen) return 'The connection is lost; trying again'
  return isWaiting
    ? 'Changes wait until you leave the part that you are in'
    : 'Live: changes appear by themselves'
}

/** Brings the sections up to the page that was read last, except those in use. */
function update() {
  if (!reading.fresh) return
  const now = Date.now()
  showTimes(document, now)
  showTimes(reading.fresh, now)
  let isWaiting = false
  inPlace(() => {
    for (const section of document.querySelectorAll('[data-section]')) {
      const next = reading.fresh.querySelector(`[data-section="${section.dataset.section}"]`)
      if (!next || isShown(section, next)) continue
      if (isInUse(section)) isWaiting = true
      else become(section, next)
    }
  })
  if (!isWaiting) reading.fresh = undefined
  tell({ isWaiting })
}

async function read() {
  Object.assign(reading, { timer: undefined, isRunning: true, isStale: false })
  try {
    await readPage()
    reading.pause = 1000
    tell({ hasFailed: false })
    update()
  } catch {
    reading.isStale = true
    reading.pause = longer(reading.pause)
    tell({ hasFailed: true })
  }
  reading.isRunning = false
  reading.next = Date.now() + reading.pause
  if (reading.isStale) later()
}

async function readPage() {
  const { etag } = reading
  const headers = { accept: 'text/html', ...(etag && { 'if-none-match': etag }) }
  const response = await fetch(location.href, { headers, signal: AbortSignal.timeout(30_000) })
  if (response.status === 304) return
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  if (!response.ok || !page.querySelector('[data-section]')) throw new Error(`answered ${response.status}`)
  reading.fresh = page
  reading.etag = response.headers.get('etag')
}

/** What changes within a second is read together; a hidden tab reads when it is seen again. */
function later() {
  reading.isStale = true
  const pause = Math.max(50, reading.next - Date.now())
  if (!reading.isRunning && !document.hidden) reading.timer ??= setTimeout(read, pause)
}

function again() {
  clearTimeout(reading.timer)
  Object.assign(reading, { timer: undefined, next: 0 })
  later()
}

function keepUpToDate(status) {
  live.status = status
  const worker = self.SharedWorker ? new SharedWorker(scriptAddress) : new Worker(scriptAddress)
  const channel = worker.port ?? worker
  const join = () => document.hidden || channel.postMessage(status.dataset.live)
  const leave = () => channel.postMessage(null)
  worker.onerror = () => tell({ isOpen: false })
  channel.onmessage = ({ data }) => {
    if (data !== 'changed') tell({ isOpen: data === 'open' })
    // What happened before the stream was open may have been missed.
    if (data !== 'lost') later()
  }
  const catchUp = () => live.isWaiting && setTimeout(update)
  document.addEventListener('focusout', catchUp)
  document.addEventListener('selectionchange', catchUp)
  document.addEventListener('toggle', catchUp, true)
  document.addEventListener('visibilitychange', () => (document.hidden ? leave() : join()))
  addEventListener('pagehide', leave)
  addEventListener('pageshow', ({ persisted }) => persisted && join())
  addEventListener('online', () => live.hasFailed && again())
  join()
}

if (self.document) {
  keepTimes()
  const status = document.querySelector('[data-live]')
  if (status && scriptAddress) keepUpToDate(status)
} else serveTabs()
