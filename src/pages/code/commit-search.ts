import { done, failed, type Outcome } from '../../common/outcome.ts'
import type { Code, Place } from '../../forge/repos/code.ts'
import type { CommitSearch } from '../../git/repository/history.ts'
import { tick } from '../form.ts'
import { type Html, html } from '../html.ts'
import { shellWord } from '../program-lines.ts'
import { addressOf } from './folder.ts'

/** Characters and words of a search. */
const maximum = { text: 200, words: 20 }

/** A field to search the commits of a branch, tag or commit. */
export const commitSearchForm = (
  code: Code,
  { name }: Place,
  { q, all }: { q: string; all: string },
): Html => html`<form class="search" role="search" aria-label="Commits" action="${addressOf(code, 'commits', name, 'search')}">
<label for="q">Words of the message, or the first digits of a commit</label>
<p class="hint" id="q-hint">Also author:ada committer:eve after:2026-01-31 before:2026-12-31; &quot;two words&quot; together</p>
<div class="search-row"><input class="search-field" type="search" id="q" name="q" value="${q}" aria-describedby="q-hint" required> <button>Search</button></div>
${tick({ name: 'all', label: 'In all branches', isOn: all !== '' })}
</form>`

/** What a text searches for; or a sentence that says why it is no search. */
export function searchIn(text: string, isEverywhere: boolean): Outcome<CommitSearch, string> {
  if (text.length > maximum.text) return failed('This search is too long.')
  const parts = [...text.matchAll(/(?:(author|committer|after|before):)?(?:"([^"]*)"|(\S+))/g)].map(
    ([, name = 'words', quoted, word]) => ({ name, value: quoted ?? word ?? '' }),
  )
  if (parts.length > maximum.words) return failed('This search is too long.')
  const valuesOf = (name: string) => parts.filter((part) => part.name === name).map(({ value }) => value)
  const [after, before] = [valuesOf('after').at(-1), valuesOf('before').at(-1)]
  const [since, until] = [after, before].map((day) => (day === undefined ? undefined : secondsOf(day)))
  if (Number.isNaN(since) || Number.isNaN(until)) return failed('Write days as 2026-01-31.')
  const search = {
    words: valuesOf('words'),
    authors: valuesOf('author'),
    committers: valuesOf('committer'),
    since,
    until,
    isEverywhere,
  }
  const isEmpty = [...search.words, ...search.authors, ...search.committers].every((value) => value === '')
  return isEmpty && since === undefined && until === undefined
    ? failed('Write what the commits have.')
    : done(search)
}

/** The first second of a day, or of a time of RFC 3339; NaN for another text. */
const secondsOf = (text: string) =>
  /^\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?$/.test(text) ? Math.floor(Date.parse(text) / 1000) : Number.NaN

/** The command that finds the same in a clone. */
export function commandOf(
  { words, authors, committers, isEverywhere }: CommitSearch,
  { commit }: Place,
): string {
  const options = [
    ...words.map((word) => `--grep=${shellWord(word)}`),
    ...authors.map((name) => `--author=${shellWord(name)}`),
    ...committers.map((name) => `--committer=${shellWord(name)}`),
    ...(isEverywhere ? ['--all'] : []),
  ]
  return `git log -i -F --all-match ${options.join(' ')} ${commit.slice(0, 10)}`
}
