// Closes menus, and gives keys to what `aria-keyshortcuts` names. `?` shows the keys of a page, and turns them off.

const menus = 'details:is(.menu, .filter, .refs, .ask)[open]'

/** Closes the open menus that do not contain a node; gives the last of them. */
function closeMenus(beside) {
  let closed
  for (const menu of document.querySelectorAll(menus)) {
    if (beside && menu.contains(beside)) continue
    menu.open = false
    closed = menu
  }
  return closed
}

document.addEventListener('click', ({ target }) => closeMenus(target))
document.addEventListener('toggle', ({ target }) => target.matches?.(menus) && closeMenus(target), true)

const setting = 'keys-are-off'
const areOff = () => localStorage.getItem(setting) !== null

/** What each key does on this page: an element with the key in `aria-keyshortcuts`, or a step in a list. */
const shortcuts = () =>
  [...document.querySelectorAll('[aria-keyshortcuts]')].map((element) => ({
    key: element.getAttribute('aria-keyshortcuts'),
    name: element.getAttribute('aria-label') ?? element.textContent.trim(),
    act: () => (element.matches('input, textarea, select') ? element.focus() : element.click()),
  }))

/** The first link of each row of the lists of a page. */
const rows = () =>
  [...document.querySelectorAll('#main .list > li')].flatMap((row) => row.querySelector('a') ?? [])

function step(by) {
  const links = rows()
  const row = document.activeElement?.closest?.('#main .list > li')
  const at = links.findIndex((link) => row?.contains(link))
  const next = at === -1 ? (by > 0 ? 0 : links.length - 1) : at + by
  links[next]?.focus()
}

const steps = () =>
  rows().length < 2
    ? []
    : [
        { key: 'j', name: 'Next row', act: () => step(1) },
        { key: 'k', name: 'Previous row', act: () => step(-1) },
      ]

function showKeys() {
  const dialog = document.createElement('dialog')
  dialog.className = 'card keys'
  dialog.setAttribute('aria-labelledby', 'keys')
  const entry = ({ key, name }) => {
    const [term, about] = [document.createElement('dt'), document.createElement('dd')]
    const shown = document.createElement('kbd')
    shown.textContent = key
    term.append(shown)
    about.textContent = name
    return [term, about]
  }
  const list = document.createElement('dl')
  list.append(...[...shortcuts(), ...steps(), { key: '?', name: 'Show the keys' }].flatMap(entry))
  const heading = document.createElement('h2')
  Object.assign(heading, { id: 'keys', textContent: 'Keys of this page' })
  const label = document.createElement('label')
  const isOn = Object.assign(document.createElement('input'), { type: 'checkbox', checked: !areOff() })
  isOn.addEventListener('change', () =>
    isOn.checked ? localStorage.removeItem(setting) : localStorage.setItem(setting, '1'),
  )
  label.append(isOn, ' Use keys in this browser')
  const close = Object.assign(document.createElement('button'), { className: 'quiet', textContent: 'Close' })
  close.addEventListener('click', () => dialog.close())
  dialog.append(heading, list, label, close)
  dialog.addEventListener('close', () => dialog.remove())
  document.body.append(dialog)
  dialog.showModal()
}

const isWriting = (node) => node.matches?.('input, textarea, select, [contenteditable]') ?? false

document.addEventListener('keydown', (event) => {
  const { key, target } = event
  if (key === 'Escape') return closeMenus()?.querySelector('summary').focus()
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isWriting(target)) return
  if (document.querySelector('dialog[open]')) return
  if (key === '?') return showKeys()
  if (areOff()) return
  const shortcut = [...shortcuts(), ...steps()].find((each) => each.key === key)
  if (!shortcut) return
  event.preventDefault()
  shortcut.act()
})
