import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startEverything } from '../../support/forge/everything.ts'
import { signedIn } from '../admin/browser.ts'

const { url } = await startEverything()
const { page } = await signedIn({ url }, 'ada')
const root = 'https://forgehall.example'

/** Lists that can be sorted, filtered or seen in parts, and pages with sections. */
const pages = [
  ...['repos', 'organizations', 'users', 'packages'].map((list) => `/explore/${list}`),
  ...['issues', 'milestones', 'milestone/1', 'actions', 'src/branch/main', 'tags'].map(
    (list) => `/ada/code/${list}`,
  ),
  '/notifications',
  '/settings',
  ...['', '/users', '/jobs', '/webhooks', '/organizations'].map((list) => `/-/admin${list}`),
]

/** Places for links of which one is what the page shows. */
const groups = /<(?:nav|p class="actions|ul class="filter-list).*?<\/(?:nav|p|ul)>/gs
const links = /<a(?: class="[^"]*")? href="([^"]+)"( aria-current="(?:page|true)")?>(.*?)<\/a>/g

/** The links of a page that lead to another choice. */
function choicesOf(shown: string): { address: string; words: string }[] {
  return (
    (shown.match(groups) ?? [])
      .filter((group) => group.includes('aria-current') || group.includes('filter-choice'))
      .flatMap((group) => [...group.matchAll(links)])
      .filter(([, , isCurrent]) => isCurrent === undefined)
      .map(([, address = '', , words = '']) => ({ address: address.replaceAll('&amp;', '&'), words }))
      // The reference of the API is a page of its own kind.
      .filter(({ address }) => address.startsWith(root) && !address.endsWith('/api/swagger'))
  )
}

/** Whether a page says of a choice that it is the one that it shows. */
const shows = (shown: string, words: string) =>
  [...shown.matchAll(links)].some(([, , isCurrent, others]) => isCurrent !== undefined && others === words)

/** The names that the choice of an address has and the search form above its list would not send. */
function lostBySearch(shown: string, address: string): string[] {
  const { origin, pathname, searchParams } = new URL(address)
  const forms = [...shown.matchAll(/<form[^>]* method="get" action="([^"?]*)".*?<\/form>/gs)]
  const form = forms.find(([, action]) => action === origin + pathname)?.[0]
  return form === undefined
    ? []
    : [...searchParams.keys()].filter((name) => !form.includes(` name="${name}"`))
}

test('each order, filter and section that a page offers is what the page behind its link shows, and a search keeps', async () => {
  let followed = 0
  for (const path of pages) {
    const choices = choicesOf(await page(path))
    assert.ok(choices.length > 0, `${path} offers nothing`)
    for (const { address, words } of choices) {
      followed++
      const shown = await page(address.slice(root.length))
      assert.ok(shows(shown, words), `${path}: ${words} leads to ${address}`)
      assert.deepEqual(lostBySearch(shown, address), [], `${path}: a search forgets ${words}`)
    }
  }
  assert.ok(followed > 60, `only ${followed} links were followed`)
})
