import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  badgeSlug,
  isName,
  nameFault,
  nameTaken,
  nameUnknown,
  repositoryNameFault,
  teamNameFault,
  userName,
} from '../../../src/forge/accounts/names.ts'
import { brokenRule } from '../../../src/forge/protocol/rules.ts'

const characters = (name: string) =>
  `name is invalid [${name}]: must be valid alpha or numeric or dash(-_) or dot characters`

const places = 'begin and end with a letter or digit, and have no two of - _ . together'

const WRONG = [
  '',
  ' ',
  '-',
  '.',
  '_',
  '-a',
  '.a',
  '_a',
  'a-',
  'a.',
  'a_',
  'a--b',
  'a..b',
  'a__b',
  'a-.b',
  'a._b',
  'a b',
  ' a',
  'a ',
  'a/b',
  'a\\b',
  'a%b',
  'a@b',
  'a+b',
  "a'b",
  'a"b',
  'a;b',
  'a<b>',
  'a?b',
  'a*b',
  'a:b',
  'a\0b',
  'a\n',
  'a\r\nb',
  'ä',
  'аlice',
  'a１',
  '🔑',
  '..',
  `a${'-'.repeat(100_000)}`,
]

for (const name of [
  'a',
  'Z',
  '0',
  'alice',
  'Alice-B.c_d',
  'a-b-c',
  '4.2',
  'admin',
  'x'.repeat(41),
  'keys',
  'a.keysx',
]) {
  test(`${name} can be a user's name`, () => {
    assert.equal(isName(name), true)
    assert.equal(nameFault(name), undefined)
  })
}

for (const name of WRONG) {
  test(`${JSON.stringify(name.slice(0, 20))} has not the form of a name`, () => {
    assert.equal(isName(name), false)
    assert.equal(nameFault(name), `${characters(name)}, ${places}`)
    assert.equal(brokenRule('UserName', name, [userName]), '[UserName]: invalid username')
    assert.equal(badgeSlug.holds(name), false)
  })
}

// The reserved names are listed here again, so that the test fails if one is lost.
for (const name of [
  'api',
  'metrics',
  'v2',
  'assets',
  'attachments',
  'avatar',
  'avatars',
  'repo-avatars',
  'captcha',
  'login',
  'org',
  'repo',
  'user',
  'explore',
  'issues',
  'pulls',
  'milestones',
  'notifications',
  'settings',
  'favicon.ico',
  'manifest.json',
  'robots.txt',
  'sitemap.xml',
  'ssh_info',
  'swagger.v1.json',
  'openapi3.v1.json',
  'ghost',
  'gitea-actions',
]) {
  test(`${name} is reserved, in any case`, () => {
    assert.equal(nameFault(name), `name is reserved [name: ${name}]`)
    assert.equal(nameFault(name.toUpperCase()), `name is reserved [name: ${name}]`)
  })
}

for (const ending of ['keys', 'gpg', 'rss', 'atom', 'png']) {
  test(`a name cannot end in .${ending}, in any case`, () => {
    assert.equal(nameFault(`alice.${ending}`), `name pattern is not allowed [pattern: *.${ending}]`)
    assert.equal(nameFault(`a.${ending.toUpperCase()}`), `name pattern is not allowed [pattern: *.${ending}]`)
  })
}

test('a badge slug may be a reserved name', () => {
  assert.equal(badgeSlug.holds('user'), true)
})

for (const name of ['a', '-a', 'a-', '_', '.github', 'a.b', 'wiki', 'git', 'x.git.y', 'api', 'x.keys']) {
  test(`${name} can be a repository's name`, () => {
    assert.equal(repositoryNameFault(name), undefined)
  })
}

for (const name of ['.', '..', '-']) {
  test(`${name} is reserved among repositories`, () => {
    assert.equal(repositoryNameFault(name), `name is reserved [name: ${name}]`)
  })
}

for (const ending of ['wiki', 'git', 'rss', 'atom']) {
  test(`a repository's name cannot end in .${ending}, in any case`, () => {
    for (const name of [`a.${ending}`, `A.${ending.toUpperCase()}`, `.${ending}`]) {
      assert.equal(repositoryNameFault(name), `name pattern is not allowed [pattern: *.${ending}]`)
    }
  })
}

for (const name of ['', 'a b', 'a/b', 'a..b', '...', 'ä', 'a\n', 'a\0', 'a\\b', '../x']) {
  test(`${JSON.stringify(name)} has not the form of a repository's name`, () => {
    assert.equal(repositoryNameFault(name), characters(name))
  })
}

for (const name of ['Owners', 'team.one', '-', 'a--b']) {
  test(`${name} can be a team's name`, () => {
    assert.equal(teamNameFault(name), undefined)
  })
}

for (const [name, fault] of [
  ['New', 'name is reserved [name: new]'],
  ['', characters('')],
  ['a b', characters('a b')],
  ['ä', characters('ä')],
] as const) {
  test(`${JSON.stringify(name)} cannot be a team's name`, () => {
    assert.equal(teamNameFault(name), fault)
  })
}

test('the sentences about taken and unknown names', () => {
  assert.equal(nameTaken('Alice'), 'user already exists [name: Alice]')
  assert.equal(nameUnknown('Alice'), 'user redirect does not exist [name: alice]')
})
