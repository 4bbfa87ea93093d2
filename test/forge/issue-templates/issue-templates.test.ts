import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startForge, startRepository } from '../../support/forge/workflows.ts'

const forge = await startForge()
const { call, make, ada } = forge
const REPO = '/api/v1/repos/{owner}/{repo}'
const TEMPLATES = `GET ${REPO}/issue_templates`
const CONFIG = `GET ${REPO}/issue_config`
const VALIDATE = `GET ${REPO}/issue_config/validate`

const ask = async (literal: string, repo: string) =>
  (await call(literal, { params: { owner: 'ada', repo } })).body
const namesOf = async (repo: string): Promise<string[]> =>
  (await ask(TEMPLATES, repo)).map(({ file_name }: { file_name: string }) => file_name)

const none = { blank_issues_enabled: true, contact_links: [] }
const form = (body: string) => `name: Form\nabout: It\nbody:\n${body}`

test(`${TEMPLATES}, ${CONFIG} and ${VALIDATE} of a repository without files are empty`, async () => {
  await startRepository(forge, 'empty')
  assert.deepEqual(await ask(TEMPLATES, 'empty'), [])
  assert.deepEqual(await ask(CONFIG, 'empty'), none)
  assert.deepEqual(await ask(VALIDATE, 'empty'), { valid: true, message: '' })
})

test(`${TEMPLATES} has texts and forms of all folders of the default branch`, async () => {
  const repo = await startRepository(forge, 'templates')
  await repo.push({
    'ISSUE_TEMPLATE/bug.md':
      '---\r\nname: Bug\r\nabout: "Something leaks"\r\ntitle: "[bug] "\r\nlabels: kind/bug, urgent\r\nref: main\r\n---\r\n\r\nWhat *happens*?\r\n',
    '.github/ISSUE_TEMPLATE/form.yaml': `name: 12
description: A form
labels: [a, b]
assignees: [ada]
ref: refs/tags/v1
body:
  - {type: markdown, attributes: {value: Thanks}}
  - {type: input, id: version, attributes: {label: Version, placeholder: 1.2}, validations: {required: true, regex: '^v'}}
  - {type: textarea, attributes: {label: Log, render: shell}, visible: [form]}
  - {type: dropdown, attributes: {label: Where, options: [here, there], multiple: true}}
  - {type: checkboxes, id: sure, attributes: {label: Sure, options: [{label: 'yes', required: true}]}}
`.replace('placeholder: 1.2', "placeholder: '1.2'"),
    '.gitea/ISSUE_TEMPLATE/config.yml': 'blank_issues_enabled: false\n',
    '.gitea/ISSUE_TEMPLATE/deep/other.md': '---\nname: a\nabout: b\n---\n',
    'ISSUE_TEMPLATE/readme.txt': 'none',
  })
  await repo.push({ 'ISSUE_TEMPLATE/topic.md': '---\nname: a\nabout: b\n---\n' }, { branch: 'topic' })
  assert.deepEqual(await ask(TEMPLATES, 'templates'), [
    {
      name: 'Bug',
      title: '[bug] ',
      about: 'Something leaks',
      labels: ['kind/bug', 'urgent'],
      assignees: null,
      ref: 'refs/heads/main',
      content: '\nWhat *happens*?\n',
      body: null,
      file_name: 'ISSUE_TEMPLATE/bug.md',
    },
    {
      name: '12',
      title: '',
      about: 'A form',
      labels: ['a', 'b'],
      assignees: ['ada'],
      ref: 'refs/tags/v1',
      content: '',
      body: [
        { type: 'markdown', id: '0', attributes: { value: 'Thanks' }, validations: null },
        {
          type: 'input',
          id: 'version',
          attributes: { label: 'Version', placeholder: '1.2' },
          validations: { required: true, regex: '^v' },
        },
        {
          type: 'textarea',
          id: '2',
          attributes: { label: 'Log', render: 'shell' },
          validations: null,
          visible: ['form'],
        },
        {
          type: 'dropdown',
          id: '3',
          attributes: { label: 'Where', options: ['here', 'there'], multiple: true },
          validations: null,
        },
        {
          type: 'checkboxes',
          id: 'sure',
          attributes: { label: 'Sure', options: [{ label: 'yes', required: true }] },
          validations: null,
        },
      ],
      file_name: '.github/ISSUE_TEMPLATE/form.yaml',
    },
  ])
  assert.deepEqual(await ask(CONFIG, 'templates'), { blank_issues_enabled: false, contact_links: [] })
})

test(`${TEMPLATES} leaves out templates that break a rule`, async () => {
  const repo = await startRepository(forge, 'broken')
  const bomb = `a: &a [${'x,'.repeat(50)}]\n${'bcdefgh'
    .split('')
    .map((name, at) => `${name}: &${name} [${`*${'abcdefg'[at]},`.repeat(20)}]`)
    .join('\n')}`
  const broken: Record<string, string> = {
    'nameless.md': '---\nabout: b\n---\n',
    'aimless.md': '---\nname: a\ndescription: of forms only\n---\n',
    'plain.md': 'no settings',
    'open.md': '---\nname: a\nabout: b\n',
    'list.yaml': '- a\n',
    'text.yml': ': : :\n\t- {',
    'bodiless.yaml': 'name: a\nabout: b\n',
    'empty.yaml': 'name: a\nabout: b\nbody: []\n',
    'type.yaml': form('  - {type: slider, attributes: {label: a}}'),
    'label.yaml': form('  - {type: input, attributes: {}}'),
    'id.yaml': form("  - {type: input, id: 'a b', attributes: {label: a}}"),
    'twice.yaml': form(
      '  - {type: input, id: a, attributes: {label: a}}\n  - {type: textarea, id: a, attributes: {label: b}}',
    ),
    'options.yaml': form('  - {type: dropdown, attributes: {label: a, options: []}}'),
    'boxes.yaml': form('  - {type: checkboxes, attributes: {label: a, options: [b]}}'),
    'flag.yaml': form('  - {type: input, attributes: {label: a}, validations: {required: maybe}}'),
    'bomb.yaml': `${bomb}\nname: a\nabout: b\n`,
    'large.md': `---\nname: a\nabout: b\n---\n${'x'.repeat(40_000)}`,
  }
  const files = Object.fromEntries(
    Object.entries(broken).map(([name, text]) => [`.gitea/issue_template/${name}`, text]),
  )
  await repo.push({ ...files, '.gitea/issue_template/good.md': '---\nname: a\nabout: b\n---\nc' })
  assert.deepEqual(await namesOf('broken'), ['.gitea/issue_template/good.md'])
})

test(`${CONFIG} treats an invalid file as absent, and ${VALIDATE} shows the fault`, async () => {
  const repo = await startRepository(forge, 'config')
  const link = (more: string) =>
    `contact_links:\n  - {name: Chat, url: 'https://chat.example', about: Talk}\n  - {${more}}`
  for (const [text, message] of [
    [link('name: Docs, url: /docs, about: Read'), ''],
    ['blank_issues_enabled: maybe', /blank_issues_enabled/],
    [link('url: /docs, about: Read'), 'contact_links: entry 2 has no name'],
    [link('name: Docs, about: Read'), 'contact_links: entry 2 has no url'],
    [link('name: Docs, url: /docs'), 'contact_links: entry 2 has no about'],
    [link('name: Docs, url: docs, about: Read'), 'contact_links: docs is no address'],
    ['contact_links: {a: b}', /contact_links/],
    ['{', 'the file is no YAML'],
    ['', ''],
    [`#${'x'.repeat(40_000)}`, 'the file has more than 32 KiB'],
  ] as const) {
    await repo.push({ '.gitea/issue_template/config.yaml': text })
    const { valid, message: said } = await ask(VALIDATE, 'config')
    assert.equal(valid, message === '', text)
    if (message instanceof RegExp) assert.match(said, message)
    else assert.equal(said, message)
    const config = await ask(CONFIG, 'config')
    if (valid && text !== '') assert.equal(config.contact_links.length, 2)
    else assert.deepEqual(config, none, text)
  }
  await repo.push({ '.gitea/ISSUE_TEMPLATE/config.yml': 'blank_issues_enabled: false' })
  assert.equal((await ask(CONFIG, 'config')).blank_issues_enabled, false, 'the first file counts')
})

test(`${TEMPLATES}, ${CONFIG} and ${VALIDATE} are for those who may read the code`, async () => {
  await startRepository(forge, 'hidden')
  const params = { owner: 'ada', repo: 'hidden' }
  await call(`PATCH ${REPO}`, { as: ada, params, body: { private: true } })
  const eve = await make.person()
  for (const literal of [TEMPLATES, CONFIG, VALIDATE]) {
    assert.equal((await call(literal, { as: eve, params })).status, 404)
    assert.equal((await call(literal, { params })).status, 404)
    assert.equal((await call(literal, { as: ada, params })).status, 200)
  }
})
