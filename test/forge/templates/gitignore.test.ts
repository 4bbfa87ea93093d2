import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { devNull, tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openTemplates } from '../../../src/forge/templates/open.ts'
import { gitignoreCases } from './gitignore-cases.ts'

const { gitignore } = openTemplates()
const names = [...gitignore.names]

let repository = ''
let ignored: ReadonlySet<string> = new Set()

/** One repository with a folder for each template, so that git is asked once. */
before(() => {
  repository = mkdtempSync(join(tmpdir(), 'gitignore-'))
  git(['init', '--quiet'])
  for (const [at, name] of names.entries()) {
    mkdirSync(join(repository, String(at)))
    writeFileSync(join(repository, String(at), '.gitignore'), gitignore.find(name)?.content ?? '')
  }
  const paths = names.flatMap((name, at) => {
    const { ignores, keeps } = cases(name)
    return [...ignores, ...keeps].map((path) => `${at}/${path}\0`)
  })
  const answer = git(['check-ignore', '--stdin', '-z'], paths.join(''))
  ignored = new Set(answer.split('\0'))
})

after(() => rmSync(repository, { recursive: true }))

for (const [at, name] of names.entries()) {
  test(`the gitignore template ${name} ignores what its tools leave and keeps what people write`, () => {
    const { ignores, keeps } = cases(name)
    assert.ok(ignores.length >= 2 && keeps.length >= 1, 'two paths to ignore and one to keep')
    assert.deepEqual(
      ignores.filter((path) => !ignored.has(`${at}/${path}`)),
      [],
      'not ignored',
    )
    assert.deepEqual(
      keeps.filter((path) => ignored.has(`${at}/${path}`)),
      [],
      'not kept',
    )
  })
}

test('the table of cases names no template that is not there', () => {
  assert.deepEqual(
    Object.keys(gitignoreCases).filter((name) => !names.includes(name)),
    [],
  )
})

test('the gitignore template macOS ignores the icon of a folder, whose name ends in a carriage return', () => {
  const folder = names.indexOf('macOS')
  assert.equal(git(['check-ignore', '--stdin', '-z'], `${folder}/Icon\r\0`), `${folder}/Icon\r\0`)
})

/** The two halves of a row of the table: `ignored ignored ! kept`. */
function cases(name: string): { ignores: readonly string[]; keeps: readonly string[] } {
  const [ignores = [], keeps = []] = (gitignoreCases[name] ?? '')
    .split('!')
    .map((half) => half.match(/\S+/g) ?? [])
  return { ignores, keeps }
}

/** Runs git without the settings of this machine, which may ignore files on their own. */
function git(args: readonly string[], input = ''): string {
  const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_SYSTEM: devNull }
  const config = ['-c', `core.excludesFile=${devNull}`, '-c', 'core.ignoreCase=false']
  return execFileSync('git', [...config, ...args], { cwd: repository, env, input, encoding: 'utf8' })
}
