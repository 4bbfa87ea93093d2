// Keeps half-written texts of issues, files and posts, in this tab, when the page is loaded again.

const texts = () =>
  document.querySelectorAll('form[method=post] :is(textarea[data-completions], textarea#content)')

const keyOf = (text) => `text ${location.pathname} ${text.form.getAttribute('action')} ${text.id}`

/** Puts them back, unless somebody has changed meanwhile what they were made from. */
function restore() {
  for (const text of texts()) {
    const [from, written] = JSON.parse(sessionStorage.getItem(keyOf(text)) ?? '[]')
    if (from === text.defaultValue && text.value === from) text.value = written
  }
}

/** Who signs out leaves nothing to the next one at this tab. */
let isOver = false
document.addEventListener('submit', ({ target }) => {
  if (!target.getAttribute('action')?.endsWith('/login/out')) return
  isOver = true
  sessionStorage.clear()
})

addEventListener('pagehide', () => {
  if (isOver) return
  for (const text of texts()) {
    const { value, defaultValue, form } = text
    sessionStorage.removeItem(keyOf(text))
    // Storage may be full.
    if (value !== defaultValue && !('done' in form.dataset))
      try {
        sessionStorage.setItem(keyOf(text), JSON.stringify([defaultValue, value]))
      } catch {}
  }
})

restore()
