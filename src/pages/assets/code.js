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

keepTimes()
