// Completes @names and #numbers in texts whose field says where completions are. The field stays the text that it is: without
// a list, and without script, people write what they want.

const id = 'completions'
/** The word before the cursor that may be completed; after a letter or digit, @ and # are part of something else. */
const begun = /(?:^|[^\p{L}\p{N}_`/&])([@#][\p{L}\p{N}_.-]{0,50})$/u
const wait = 120

let open
let asked

const wordIn = (text) => begun.exec(text.value.slice(0, text.selectionStart))?.[1]

/** What screen readers say; it stays in the page, so that they hear of changes. */
function say(sentence) {
  const status = document.getElementById(`${id}-status`) ?? document.createElement('p')
  Object.assign(status, { id: `${id}-status`, className: 'unread-words' })
  status.setAttribute('role', 'status')
  if (!status.isConnected) document.body.append(status)
  status.textContent = sentence
}

function close() {
  asked?.abort()
  if (!open) return
  open.list.remove()
  for (const name of ['aria-controls', 'aria-activedescendant']) open.text.removeAttribute(name)
  open = undefined
  say('')
}

function activate(at) {
  const { list, text } = open
  open.active = at
  for (const [index, option] of [...list.children].entries())
    option.setAttribute('aria-selected', String(index === at))
  if (at === -1) return text.removeAttribute('aria-activedescendant')
  text.setAttribute('aria-activedescendant', list.children[at].id)
  list.children[at].scrollIntoView({ block: 'nearest' })
}

function accept(at) {
  const { text, word, rows } = open
  const end = text.selectionStart
  const { value } = rows[at]
  const space = /^\s/.test(text.value.slice(end)) ? '' : ' '
  close()
  text.setRangeText(value + space, end - word.length, end, 'end')
  text.dispatchEvent(new Event('input', { bubbles: true }))
  text.focus()
}

function show(text, word, rows) {
  close()
  if (rows.length === 0) return
  const list = document.createElement('ul')
  Object.assign(list, { id, className: 'completions' })
  list.setAttribute('role', 'listbox')
  list.setAttribute('aria-label', word.startsWith('@') ? 'People' : 'Issues and pull requests')
  for (const [at, { value, text: about }] of rows.entries()) {
    const option = document.createElement('li')
    option.id = `${id}-${at}`
    option.setAttribute('role', 'option')
    const name = document.createElement('strong')
    name.textContent = value
    option.append(name, ` ${about}`)
    // The field keeps the focus.
    option.addEventListener('mousedown', (event) => event.preventDefault())
    option.addEventListener('click', () => accept(at))
    list.append(option)
  }
  text.after(list)
  text.setAttribute('aria-autocomplete', 'list')
  text.setAttribute('aria-controls', id)
  open = { text, word, rows, list, active: -1 }
  // A word that is whole already is not replaced by the key that ends it.
  activate(rows.some(({ value }) => value.toLowerCase() === word.toLowerCase()) ? -1 : 0)
  say(
    `${rows.length} ${rows.length === 1 ? 'completion' : 'completions'}: arrow keys choose, Enter takes one.`,
  )
}

async function complete(text) {
  const word = wordIn(text)
  if (word === undefined || text.selectionStart !== text.selectionEnd) return close()
  asked?.abort()
  asked = new AbortController()
  const { signal } = asked
  try {
    await new Promise((resolve) => setTimeout(resolve, wait))
    if (signal.aborted) return
    const address = `${text.dataset.completions}?q=${encodeURIComponent(word)}`
    const response = await fetch(address, { signal, headers: { accept: 'application/json' } })
    const rows = response.ok ? await response.json() : []
    if (!signal.aborted && wordIn(text) === word && document.activeElement === text) show(text, word, rows)
  } catch {
    // Without completions, the text is written as without script.
  }
}

const isCompleted = (node) => node.matches?.('textarea[data-completions]') ?? false

document.addEventListener('input', (event) => {
  if (isCompleted(event.target) && event.isTrusted) void complete(event.target)
})

document.addEventListener('focusout', ({ target }) => isCompleted(target) && close())

document.addEventListener(
  'keydown',
  (event) => {
    const { key, target, isComposing, ctrlKey, metaKey, altKey, shiftKey } = event
    if (!open || open.text !== target || isComposing) return
    const { active, rows } = open
    const isPlain = !(ctrlKey || metaKey || altKey || shiftKey)
    const by = { ArrowDown: 1, ArrowUp: -1 }[key]
    if (key === 'Escape') close()
    else if (by && isPlain)
      activate((active + by + rows.length + (active === -1 && by < 0 ? 1 : 0)) % rows.length)
    else if ((key === 'Enter' || key === 'Tab') && isPlain && active !== -1) accept(active)
    else {
      if (/^(?:Arrow|Home|End|Page)/.test(key)) close()
      return
    }
    event.preventDefault()
    event.stopPropagation()
  },
  true,
)
