import type { Element, ElementContent, Root } from 'hast'
import { attribute, element, text, textOf, walk } from '../html/tree.ts'
import type { Match, Matcher } from './inline.ts'
import type { Links } from './links.ts'

/** A link that the renderer added. */
export function generatedLink(href: string, label: ElementContent | string, className?: string): Element {
  const kind = className === undefined ? {} : { className: [className] }
  return element('a', { href, dataMarkdownGeneratedContent: '', ...kind }, label)
}

const name = String.raw`[\w.-]{1,100}`
const before = String.raw`(?<=^|[\s(\[{"'])`
const after = String.raw`(?=$|[\s)\]}"'?!]|[:,;.](?:$|\s|[)\]]))`
const keyword = String.raw`(?:(?<=^|[\s(\[])(close[sd]?|fix(?:e[sd])?|resolve[sd]?|reopen(?:s|ed)?)(:?[ \t\n]{1,3}))?`

const short = new RegExp(String.raw`${keyword}${before}([#!])(\d{1,18})${after}`, 'gi')
const cross = new RegExp(String.raw`${keyword}${before}(${name})/(${name})([#!])(\d{1,18})${after}`, 'gi')
const commit = new RegExp(String.raw`${before}(${name})/(${name})@([\da-f]{7,64})${after}`, 'g')

/** `owner/repo#12`, `owner/repo!12` and `owner/repo@<hash>`; their existence is not checked. */
export function crossReferences(host: string): Matcher[] {
  return [
    {
      hint: /\//,
      pattern: cross,
      build: ([whole, verb, gap = '', owner = '', repo = '', mark = '', number = '']) =>
        withKeyword(verb, gap, whole, issueLink(`${host}${owner}/${repo}`, mark, number, `${owner}/${repo}`)),
    },
    {
      hint: /@/,
      pattern: commit,
      build: ([, owner = '', repo = '', hash = '']) => [
        generatedLink(
          `${host}${owner}/${repo}/commit/${hash}`,
          `${owner}/${repo}@${hash.slice(0, 10)}`,
          'commit',
        ),
      ],
    },
  ]
}

/** `#12` and `!12` of the text's repository. */
export function shortReferences(repo: string): Matcher {
  return {
    hint: /[#!]/,
    pattern: short,
    build: ([whole, verb, gap = '', mark = '', number = '']) =>
      withKeyword(verb, gap, whole, issueLink(repo, mark, number, '')),
  }
}

function issueLink(repo: string, mark: string, number: string, label: string): Element {
  return generatedLink(
    `${repo}/${mark === '!' ? 'pulls' : 'issues'}/${number}`,
    `${label}${mark}${number}`,
    'ref-issue',
  )
}

/** Marks a word that closes or reopens the issue after it. */
function withKeyword(verb: string | undefined, gap: string, whole: string, link: Element): Match {
  if (verb === undefined) return [link]
  return [element('span', { className: ['issue-keyword'] }, whole.slice(0, verb.length)), text(gap), link]
}

const label = String.raw`[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?`
const mail = new RegExp(
  String.raw`(?<![\w.!#$%&'*+/=?^\x60{|}~-])([.!#$%&*+=?^{|}~-]{0,64})(\w[\w.!#$%&*+=?^{|}~-]{0,63}@(?:${label}\.)+[a-z]{2,24})(?![\w@:/-]|\.[a-z\d])`,
  'gi',
)

/** Mail addresses begin with a letter, a digit or `_`; the start of something like `git@host:path` is not one. */
export const mailAddresses: Matcher = {
  hint: /@/,
  pattern: mail,
  build: ([, before = '', address = '']) => [
    ...(before === '' ? [] : [text(before)]),
    generatedLink(`mailto:${address}`, address),
  ],
}

const hash = '([\\da-f]{40}|[\\da-f]{64})'
const issueUrl = new RegExp(String.raw`^(${name})/(${name})/(?:issues|pulls)/(\d{1,18})(?:[?#].*)?$`)
const commitUrl = new RegExp(
  String.raw`^${name}/${name}/commit/${hash}(\.[\w.-]+)?(/[^?#]*)?(?:\?[^#]*)?(?:#(.*))?$`,
)
const compareUrl = new RegExp(
  String.raw`^${name}/${name}/compare/${hash}(\.\.\.?)${hash}(?:\?[^#]*)?(?:#(.*))?$`,
)

/** Gives bare addresses of this site's issues, commits and comparisons a readable label. */
export function shortenOwnLinks(root: Root, links: Links): void {
  walk(root, (node) => {
    if (node.tagName !== 'a' || node.properties.dataMarkdownGeneratedContent === undefined) return
    const href = attribute(node, 'href') ?? ''
    if (!href.startsWith(links.host) || textOf(node) !== href) return
    shortenIssue(node, href, links) || shortenCode(node, href.slice(links.host.length))
  })
}

function shortenIssue(node: Element, href: string, { host, location: place }: Links): boolean {
  const [, owner, repo, number] = issueUrl.exec(href.slice(host.length)) ?? []
  if (number === undefined) return false
  const label = owner === place.owner && repo === place.repo ? `#${number}` : `${owner}/${repo}#${number}`
  node.children = [text(/[?#]/.test(href) ? `${label} (comment)` : label)]
  node.properties.className = ['ref-issue']
  return true
}

function shortenCode(node: Element, path: string): void {
  const [, commitHash, extension = '', subPath = '', anchor] = commitUrl.exec(path) ?? []
  const [, base, dots = '', head, part] = compareUrl.exec(path) ?? []
  const fragment = anchor ?? part
  const suffix = fragment === undefined || fragment === '' ? '' : ` (${fragment})`
  if (commitHash !== undefined)
    node.children = [element('code', {}, commitHash.slice(0, 10) + extension + subPath + suffix)]
  else if (base !== undefined && head !== undefined)
    node.children = [element('code', {}, base.slice(0, 10) + dots + head.slice(0, 10) + suffix)]
}
