// Tells the reader of a conversation that its page has changed: the page is read again now and then, while it is in view.
import { keepTimes } from './times.js'

const wait = { min: 5000, max: 60_000, now: 5000 }
const newsIn = (page) => page.getElementById('news')

function tell(news) {
  const link = document.createElement('a')
  link.href = location.pathname + location.search
  link.textContent = 'Show it'
  news.replaceChildren('Something new has happened here. ', link)
}

async function look() {
  try {
    const address = new URL(location.href)
    address.searchParams.set('ahead', 'true')
    const response = await fetch(address, { headers: { accept: 'text/html' } })
    const fresh = newsIn(new DOMParser().parseFromString(await response.text(), 'text/html'))
    const shown = newsIn(document)
    if (fresh && shown && fresh.dataset.version !== shown.dataset.version) tell(shown)
  } catch {
    // The next look may succeed.
  }
}

async function keepLooking() {
  // Once it has told, the page is as it was.
  if (!document.hidden && newsIn(document)?.childNodes.length === 0) {
    await look()
    wait.now = Math.min(wait.now * 2, wait.max)
  }
  setTimeout(keepLooking, wait.now)
}

keepTimes()
document.addEventListener('visibilitychange', () => {
  wait.now = wait.min
})
setTimeout(keepLooking, wait.now)
