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

/* What the reader lacks for those who hear it: headings, names of areas, fields and buttons. */
const wrapComponents = {
  operations:
    (Operations, { React: { createElement, Fragment } }) =>
    (props) =>
      createElement(
        Fragment,
        null,
        createElement('h2', { className: 'outline' }, 'Operations'),
        /* Where a search finds nothing, the reader says that the document defines none. */
        props.specSelectors.taggedOperations().size > 0
          ? createElement(Operations, props)
          : createElement(
              'div',
              { role: 'status' },
              createElement('h3', null, 'No operation has all these words.'),
            ),
      ),
  InfoContainer:
    (Info, { React: { createElement } }) =>
    (props) =>
      createElement('section', { 'aria-label': 'About this API' }, createElement(Info, props)),
  TextArea:
    (Area, { React: { createElement } }) =>
    (props) =>
      createElement(Area, { 'aria-label': 'Body', ...props }),
  CloseIcon:
    (Icon, { React: { createElement, Fragment } }) =>
    (props) =>
      createElement(
        Fragment,
        null,
        createElement('span', { className: 'outline' }, 'Close'),
        createElement(Icon, props),
      ),
}
/* There is one server, and its field has no label; search has a field of this page. */
const nothing = () => null
const components = { FilterContainer: nothing, ServersContainer: nothing }

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
  plugins: [{ fn: { opsFilter }, components, wrapComponents }],
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
