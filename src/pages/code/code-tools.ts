import type { Code, Place } from '../../forge/repos/code.ts'
import { hiddenFields } from '../form.ts'
import { type Html, html, withQuery } from '../html.ts'
import { addressOf } from './folder.ts'

/** A place as the address of a search names it: `branch/main/docs`. */
const nameOf = ({ name, path }: Pick<Place, 'name' | 'path'>) => (path === '' ? name : `${name}/${path}`)

/** The address of a search for a text below a place. */
export const searchAddress = (
  { home }: Pick<Code, 'home'>,
  place: Pick<Place, 'name' | 'path'>,
  query: Readonly<Record<string, string | number>>,
): string => withQuery(`${home}/search`, { ...query, place: nameOf(place) })

/** A field to search the text of the files below a folder, and the way to the list of all files. */
export const codeTools = (code: Code, place: Place): Html => html`<div class="code-tools">
<form class="search-row" role="search" aria-label="The text of the files" action="${code.home}/search">
${hiddenFields({ place: nameOf(place).toWellFormed() })}
<input class="search-field" type="search" name="q" aria-label="Search in the code" placeholder="Search in the code" required>
</form>
<a class="button quiet" href="${addressOf(code, 'find', place.name)}" aria-keyshortcuts="t">Find a file</a>
</div>`

/** How a clone does what is too much for a page. */
export const inClone = (
  sentence: string,
  command: string,
): Html => html`<p class="empty">${sentence} In a clone:</p>
<pre tabindex="0"><code>${command}</code></pre>`
