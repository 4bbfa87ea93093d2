// Keeps the sections of the page up to date: after an event the page is read again, and what differs is replaced.
// The server alone writes markup, so whatever was published is escaped in one place.
const status = document.querySelector('[data-live]')
const address = status?.dataset.live
const reading = { timer: undefined, isRunning: false }

function tell(state, text) {
  status.dataset.state = state
  if (status.textContent !== text) status.textContent = text
}

function replace(fresh) {
  for (const section of document.querySelectorAll('[data-section]')) {
    const next = fresh.querySelector(`[data-section="${section.dataset.section}"]`)
    // What has the focus, or is open to be read, stays until the next event.
    if (!next || section.contains(document.activeElement) || section.querySelector('details[open]')) continue
    if (section.innerHTML !== next.innerHTML) section.replaceWith(document.adoptNode(next))
  }
}

async function read() {
  reading.timer = undefined
  if (reading.isRunning) return later()
  reading.isRunning = true
  try {
    const response = await fetch(location.href, { headers: { accept: 'text/html' } })
    if (response.ok) replace(new DOMParser().parseFromString(await response.text(), 'text/html'))
  } finally {
    reading.isRunning = false
  }
}

function later() {
  reading.timer ??= setTimeout(() => read().catch(() => {}), 50)
}

const sections = ['currentUsers', 'online', 'news', 'media', 'recentActivity', 'general', 'presence']
let source

function connect() {
  source = new EventSource(address)
  for (const name of sections) source.addEventListener(name, later)
  source.addEventListener('open', () => tell('open', 'Live: changes appear by themselves'))
  source.addEventListener('error', () => {
    tell('lost', 'The connection is lost; trying again')
    // After an answer that is no stream, such as 503, browsers do not try again by themselves.
    if (source.readyState === EventSource.CLOSED) setTimeout(connect, 3000)
  })
}

if (status && address) {
  connect()
  addEventListener('pagehide', () => source.close())
  addEventListener('pageshow', (event) => event.persisted && location.reload())
}
