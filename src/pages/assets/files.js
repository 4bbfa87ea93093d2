// Files that are dropped on a text, or pasted into it, come into the field for files of its form, and the text names them.

const fieldFor = (text) => text?.form?.querySelector('input[type=file][multiple]')

/** A name that no other file of the field has: pasted pictures are all called image.png. */
function freeName(name, taken) {
  if (!taken.has(name)) return name
  const dot = name.lastIndexOf('.')
  const [stem, end] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
  for (let at = 2; ; at++) if (!taken.has(`${stem}-${at}${end}`)) return `${stem}-${at}${end}`
}

/** How a text names a file: the server puts its address there. */
const reference = ({ name, type }) => {
  const address = encodeURIComponent(name).replaceAll('(', '%28').replaceAll(')', '%29')
  return `${type.startsWith('image/') ? '!' : ''}[${name.replace(/[[\]\\]/g, '\\$&')}](${address})`
}

function add(text, files) {
  const field = fieldFor(text)
  const all = new DataTransfer()
  const taken = new Set()
  const put = (file) => {
    const name = freeName(file.name, taken)
    taken.add(name)
    const named = name === file.name ? file : new File([file], name, { type: file.type })
    all.items.add(named)
    return named
  }
  for (const file of field.files) put(file)
  const references = [...files].map((file) => reference(put(file)))
  field.files = all.files
  text.setRangeText(`${references.join('\n')}\n`, text.selectionStart, text.selectionEnd, 'end')
  text.dispatchEvent(new Event('input', { bubbles: true }))
  field.dispatchEvent(new Event('change', { bubbles: true }))
  text.focus()
}

const textOf = ({ target }) => {
  const text = target.closest?.('textarea')
  return fieldFor(text) ? text : undefined
}

document.addEventListener('paste', (event) => {
  const text = textOf(event)
  // What programs copy with a text is a picture of it.
  const { files, types } = event.clipboardData
  if (!text || files.length === 0 || types.includes('text/plain')) return
  event.preventDefault()
  add(text, files)
})

document.addEventListener('dragover', (event) => {
  if (textOf(event) && event.dataTransfer.types.includes('Files')) event.preventDefault()
})

document.addEventListener('drop', (event) => {
  const text = textOf(event)
  const { files } = event.dataTransfer
  if (!text || files.length === 0) return
  event.preventDefault()
  add(text, files)
})

/** Says what is chosen: browsers give only the number of several files. */
document.addEventListener('change', ({ target: field }) => {
  if (!field.matches?.('input[type=file][multiple]')) return
  field.parentElement.querySelector('.chosen-files')?.remove()
  const list = document.createElement('ul')
  list.className = 'chosen-files meta'
  for (const { name, size } of field.files) {
    const entry = document.createElement('li')
    entry.textContent = `${name}, ${Math.ceil(size / 1024)} KiB`
    list.append(entry)
  }
  if (field.files.length > 0) field.after(list)
})

/** Keeps the chosen files of a page that is about to be replaced; gives what puts them into the new one. */
export function keepFiles() {
  const chosen = [...document.querySelectorAll('input[type=file][multiple]')].map(({ id, files }) => [
    id,
    files,
  ])
  return () => {
    for (const [id, files] of chosen) {
      const field = document.getElementById(id)
      if (!field || files.length === 0 || field.getAttribute('aria-invalid')) continue
      field.files = files
      field.dispatchEvent(new Event('change', { bubbles: true }))
    }
  }
}
