/* Starts the reader: which API is shown is in the address, what is searched for is not sent anywhere. */

const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()

const documents = { forge: '../openapi3.v1.json', site: 'openapi.json' }
const asked = new URLSearchParams(location.search).get('api')
const api = asked === 'site' ? 'site' : 'forge'
for (const link of document.querySelectorAll('[data-api]')) {
  if (link.dataset.api === api) link.setAttribute('aria-current', 'page')
}

/* Operations whose method, path, name or summary has all words. The reader's own filter knows only their groups. */
const matching = (operation, words) => {
  const text = ['path', 'method'].map((name) => operation.get(name))
  const said = ['operationId', 'summary'].map((name) => operation.getIn(['operation', name]))
  const whole = [...text, ...said].join(' ').toLowerCase()
  return words.every((word) => whole.includes(word))
}
const opsFilter = (groups, phrase) => {
  const words = phrase.toLowerCase().split(/\s+/)
  return groups
    .map((group) => group.update('operations', (all) => all.filter((each) => matching(each, words))))
    .filter((group) => group.get('operations').size > 0)
}

const reader = SwaggerUIBundle({
  url: new URL(documents[api], location.href).href,
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  displayOperationId: true,
  displayRequestDuration: true,
  /* No foreign validator is asked, and no credentials outlive the page. */
  validatorUrl: null,
  persistAuthorization: false,
  filter: true,
  plugins: [{ fn: { opsFilter }, components: { FilterContainer: () => null } }],
})

const search = document.getElementById('search')
let waiting
search.addEventListener('input', () => {
  clearTimeout(waiting)
  waiting = setTimeout(() => {
    const phrase = search.value.trim()
    reader.layoutActions.updateFilter(phrase === '' ? true : phrase)
    if (phrase !== '')
      for (const tag of document.querySelectorAll('.opblock-tag[data-is-open="false"]')) tag.click()
  }, 150)
})
