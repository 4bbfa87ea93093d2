// Marks the lines of a file that the address names (#L10-L20), and makes such an address of a click with Shift.
import { keepTimes } from './times.js'

const linesIn = (hash) => {
  const [, from, to = from] = /^#L(\d+)(?:-L?(\d+))?$/.exec(hash) ?? []
  return from === undefined ? undefined : [from, to].map(Number).sort((a, b) => a - b)
}

function mark() {
  for (const line of document.querySelectorAll('.source .marked')) line.classList.remove('marked')
  const [first, last] = linesIn(location.hash) ?? []
  // One line is marked by the style sheet.
  if (first === undefined || first === last) return
  for (let number = first; number <= last; number++) {
    const line = document.getElementById(`L${number}`)
    if (!line) break
    line.classList.add('marked')
  }
  document.getElementById(`L${first}`)?.scrollIntoView({ block: 'center' })
}

document.querySelector('.source')?.addEventListener('click', (event) => {
  const [clicked] = linesIn(event.target.hash ?? '') ?? []
  const [first] = linesIn(location.hash) ?? []
  if (!event.shiftKey || clicked === undefined || first === undefined) return
  event.preventDefault()
  location.hash = `#L${Math.min(first, clicked)}-L${Math.max(first, clicked)}`
})
addEventListener('hashchange', mark)
mark()

// Buttons that copy a text are of use only here.
for (const button of document.querySelectorAll('button[data-copy]')) {
  button.hidden = !navigator.clipboard
  button.addEventListener('click', async () => {
    const text = button.textContent
    await navigator.clipboard.writeText(button.dataset.copy)
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = text
    }, 2000)
  })
}

/** Opens the form for a comment below its line, and leaves the rest of the page as it is. */
async function openAt(form, button) {
  const query = new URLSearchParams(new FormData(form, button))
  const response = await fetch(`${form.action.split('#')[0]}?${query}`, { headers: { accept: 'text/html' } })
  const page = new DOMParser().parseFromString(await response.text(), 'text/html')
  const opened = page.getElementById('line-form')
  if (!response.ok || !opened) return form.submit()
  document.getElementById('line-form')?.remove()
  const row = button.parentElement
  const block = row.parentElement
  const rest = block.cloneNode(false)
  rest.ariaLabel += ', below'
  while (row.nextSibling) rest.append(row.nextSibling)
  block.after(document.adoptNode(opened), rest)
  if (!rest.hasChildNodes()) rest.remove()
  opened.querySelector('textarea').focus()
}

document.addEventListener('submit', (event) => {
  const { target: form, submitter } = event
  if (!submitter?.closest('.diff')) return
  const written = document.querySelector('#line-form textarea')?.value
  // A text that is being written stays: the browser asks nobody before it leaves a page.
  event.preventDefault()
  if (written) return document.querySelector('#line-form textarea').focus()
  openAt(form, submitter).catch(() => form.requestSubmit())
})

keepTimes()
