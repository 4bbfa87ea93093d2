import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HtmlRenderer, Parser } from 'commonmark'
import { allowed, ours, same } from './standard.ts'

/** Every block of the standard, most of them over several lines. */
const blocks = [
  'one\ntwo',
  '# heading',
  'one\ntwo\n---',
  '```\none\n\n  two\n```',
  '~~~ x\none\ntwo',
  '    one\n\n      two',
  '<div>\none\ntwo\n</div>',
  '<pre>\none\n\ntwo\n</pre>',
  '***',
  '> one\n> two',
  '- one\n- two',
  '- one\n\n  two',
  '-\n- one',
  '1. one\n   two\n1. three',
  '2. one',
  '- one\n  - two\n    - three',
  '[a]: //x',
  '[b]: //x\n  "title"\n[c]: //y\none [b]',
]

/** Marks of the first line and of the lines below it. */
const containers = [
  ['', ''],
  ['- ', '  '],
  ['> ', '> '],
  ['10. ', '    '],
  ['- > ', '  > '],
  ['> - ', '>   '],
  ['- a\n- ', '  '],
  ['- a\n  ', '  '],
  ['> a\n> ', '> '],
  ['[z]: //x\n\n- ', '  '],
] as const

const inside = ([first, next]: readonly [string, string], text: string) =>
  text
    .split('\n')
    .map((line, index) => (index === 0 ? first : next) + line)
    .join('\n')

/** Each block after each other, with and without an empty line between and inside each container. */
function* textsAfter(): Generator<string> {
  for (const container of containers)
    for (const before of blocks)
      for (const after of blocks)
        for (const gap of ['\n', '\n\n']) yield `${inside(container, before + gap + after)}\n`
}

/** Each block below each other that is in a container: directly, after an empty line, and after one of the container. */
function* textsBelow(): Generator<string> {
  for (const container of containers.slice(1))
    for (const before of blocks)
      for (const after of blocks)
        for (const gap of ['\n', '\n\n', `\n${container[1].trimEnd()}\n`])
          yield `${inside(container, before)}${gap}${after}\n`
}

/** The HTML of the standard's own parser. */
const standard = (text: string) => new HtmlRenderer().render(new Parser().parse(text))

const modes = ['markdown', 'gfm'] as const

for (const [where, texts, count] of [
  ['after and inside every other', textsAfter, 6480],
  ['below every other in a container', textsBelow, 8748],
] as const)
  test(`every block ${where} is read as the standard's parser reads it`, () => {
    const all = [...texts()]
    const differing: unknown[] = []
    for (const text of all) {
      const html = standard(text)
      for (const mode of modes) {
        const [found, expected] = [ours(text, mode), allowed(html, mode)]
        if (!same(found, expected)) differing.push({ text, mode, found, expected })
      }
    }
    assert.equal(all.length, count)
    assert.deepEqual(differing.slice(0, 12), [], `${differing.length} differ`)
  })

/** Not in the generator: inside of items, the standard's parser drops the blanks of a line that has nothing else. */
const blankEnds = [
  '    one\n        ',
  '    one\n         \n\n    ',
  '    one\n         \ntwo',
  '>     one\n>          ',
]

for (const mode of modes)
  test(`an indented block ends before the blank lines behind it: ${mode}`, () => {
    for (const text of blankEnds) {
      const expected = allowed(standard(text), mode)
      assert.ok(same(ours(text, mode), expected), text)
    }
  })
