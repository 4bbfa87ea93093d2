// Sends the forms of a page without leaving it, so that what is written stays where it is whatever happens on the way.
// Forms with a password or a one-time code are left to the browser.
import './completion.js'
import { keepFiles } from './files.js'
import './kept-texts.js'
import { full } from './times.js'

const main = () => document.getElementById('main')

/** Says what has become of a form, at the top of the page, where the server says it, too. */
function say(text, { isBad = true, link } = {}) {
  document.getElementById('form-note')?.remove()
  if (text === '') return
  const note = document.createElement('p')
  note.id = 'form-note'
  note.className = isBad ? 'notice bad' : 'notice'
  note.setAttribute('role', isBad ? 'alert' : 'status')
  note.append(text)
  if (link) note.append(' ', link)
  main().querySelector('.title, h1')?.after(note)
  if (!note.isConnected) main().prepend(note)
  if (!isBad) return
  note.tabIndex = -1
  note.focus()
}

/** Where a form is sent: `action` may be one of its fields. */
const addressOf = (form) => new URL(form.getAttribute('action') ?? '', location.href).href

/** What a browser would send, and the thumbnail once it is made; the button that was pressed counts. */
async function bodyOf(form, button) {
  const fields = new FormData(form)
  if (button?.name) fields.append(button.name, button.value)
  const thumbnail = await thumbnails.get(form)
  if (thumbnail) fields.append('thumbnail', thumbnail, 'thumbnail')
  return form.enctype === 'multipart/form-data' ? fields : new URLSearchParams(fields)
}

const unsent = 'What you wrote is still here.'
/** Such forms have an id, under which the server does them once. */
const once = (form) => (form.elements.form_id ? ' It is not done twice.' : '')

async function send(form, button) {
  form.dataset.sending = ''
  button?.setAttribute('aria-disabled', 'true')
  say('')
  const slow = setTimeout(() => say('The server has not answered yet. Please wait.', { isBad: false }), 4000)
  try {
    const response = await fetch(addressOf(form), {
      method: 'POST',
      body: await bodyOf(form, button),
      headers: { accept: 'text/html' },
      signal: AbortSignal.timeout(form.enctype === 'multipart/form-data' ? 600_000 : 60_000),
    })
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    clearTimeout(slow)
    done(form)
    void answered(form, button, response, page)
  } catch {
    clearTimeout(slow)
    done(form)
    say(`The server cannot be reached. ${unsent} Send it again when the connection is back.${once(form)}`)
  }
}

function done(form) {
  delete form.dataset.sending
  for (const button of form.querySelectorAll('[aria-disabled]')) button.removeAttribute('aria-disabled')
}

function answered(form, button, response, page) {
  if (response.status === 401 || (response.redirected && new URL(response.url).pathname.endsWith('/login')))
    return askToSignIn()
  if (response.redirected) {
    form.dataset.done = ''
    return follow(response.url, form.dataset.then)
  }
  const same = [...page.forms].find((each) => each.method === 'post' && addressOf(each) === addressOf(form))
  if (response.status === 403 && renew(form, same)) return send(form, button)
  if (response.ok || same) return show(page)
  say(`${reasonIn(page, response.status)} ${unsent}`)
}

/** What has happened, and what to do next, by the page of an error. A proxy may have its own. */
function reasonIn(page, status) {
  const what = page.getElementById('failure')
  if (what) return `${what.textContent} ${what.nextElementSibling?.textContent ?? ''}`
  return status === 413
    ? 'This is more than the server takes.'
    : (page.querySelector('h1')?.textContent ?? '')
}

/** Goes where a form leads. A response does not tell the fragment of its address; a form may name it. */
function follow(address, fragment = '') {
  const isHere = fragment !== '' && address === location.href.split('#')[0]
  location.assign(address + fragment)
  if (isHere) location.reload()
}

/** In another tab: a file that was chosen here would be gone on another page. */
function askToSignIn() {
  const link = document.createElement('a')
  Object.assign(link, { href: '/login', target: '_blank', textContent: 'Sign in in another tab' })
  const base = document.querySelector('.brand')
  if (base) link.href = `${base.href}login`
  say(`You are not signed in any more. ${unsent} Sign in, and send it again here:`, { link })
}

/** Gives a form the token of the session that has begun since; false: it has it. */
function renew(form, same) {
  const [old, fresh] = [form, same].map((each) => each?.elements.form_token)
  if (!old || !fresh || old.value === fresh.value) return false
  old.value = fresh.value
  return true
}

/** Shows the page that the server has answered with, in place of this one. */
function show(page) {
  document.title = page.title
  const restoreFiles = keepFiles()
  main().replaceChildren(...document.adoptNode(page.getElementById('main')).childNodes)
  restoreFiles()
  tellOwnTimes()
  const focused = main().querySelector('[autofocus]')
  if (focused) focused.focus()
  else scrollTo(0, 0)
}

document.addEventListener('submit', (event) => {
  const { target: form, submitter } = event
  if (form.method !== 'post' || form.querySelector('[type=password], [autocomplete=one-time-code]')) return
  event.preventDefault()
  if (!('sending' in form.dataset)) void send(form, submitter)
})

// A page that the browser has kept is as it was when it was left.
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form[data-sending]')) done(form)
})

/** Says beside a moment, which is written in UTC, what the reader's clock will show then. */
function tellOwnTime(input) {
  const at = new Date(`${input.value}Z`)
  const note = input.parentElement.querySelector('.own-time') ?? document.createElement('p')
  note.className = 'hint own-time'
  note.setAttribute('role', 'status')
  note.textContent = Number.isNaN(at.getTime()) ? '' : `On your clock: ${full.format(at)}`
  input.after(note)
}

const tellOwnTimes = () => document.querySelectorAll('[type=datetime-local]').forEach(tellOwnTime)
document.addEventListener('input', ({ target }) => target.type === 'datetime-local' && tellOwnTime(target))
tellOwnTimes()

/** By form: a small picture of the one that is chosen, for lists. Browsers can decode pictures, and the server does not. */
const thumbnails = new WeakMap()
const small = { pixels: 480, bytes: 65_536 }

document.addEventListener('change', ({ target: input }) => {
  if (!input.matches?.('input[type=file][data-max-bytes]')) return
  const [file] = input.files
  const { form, dataset } = input
  thumbnails.delete(form)
  form.querySelector('.chosen')?.remove()
  input.setCustomValidity(file && file.size > Number(dataset.maxBytes) ? dataset.tooLarge : '')
  if (file && input.reportValidity()) thumbnails.set(form, thumbnailOf(input, file))
})

/** Shows the picture small; undefined if that is not smaller, or no picture that this browser can read: the server says so. */
async function thumbnailOf(input, file) {
  try {
    const canvas = await scaled(file)
    canvas.className = 'chosen'
    if (input.files[0] === file) input.after(canvas)
    const blob = await compressed(canvas)
    return blob && blob.size < file.size ? blob : undefined
  } catch {
    return undefined
  }
}

async function scaled(file) {
  const picture = await createImageBitmap(file)
  const scale = Math.min(1, small.pixels / Math.max(picture.width, picture.height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(picture.width * scale))
  canvas.height = Math.max(1, Math.round(picture.height * scale))
  const context = canvas.getContext('2d')
  context.imageSmoothingQuality = 'high'
  context.drawImage(picture, 0, 0, canvas.width, canvas.height)
  picture.close()
  return canvas
}

/** The first form that is small enough; browsers that cannot write WebP write PNG instead. */
async function compressed(canvas) {
  for (const [type, quality] of [
    ['image/webp', 0.8],
    ['image/jpeg', 0.8],
    ['image/jpeg', 0.5],
  ]) {
    const blob = await new Promise((resolve) => canvas.toBlob(resolve, type, quality))
    if (blob?.type === type && blob.size <= small.bytes) return blob
  }
  return undefined
}
