import { badRequest } from '../../../http/route/problem.ts'
import type { Included } from './contents-of.ts'

/** The words of `includes`. */
const words = {
  file_content: 'content',
  lfs_metadata: 'lfs',
  commit_metadata: 'commit',
  commit_message: 'message',
} as const satisfies Readonly<Record<string, keyof Included>>

const isWord = (word: string): word is keyof typeof words => Object.hasOwn(words, word)

/** What a list of words between commas says. @throws Problem 400 */
export function includedIn(list: string): Included {
  const included: Included = {}
  for (const word of list.split(',').map((each) => each.trim())) {
    if (word === '') continue
    if (!isWord(word)) throw badRequest(`unknown include option ${JSON.stringify(word.slice(0, 100))}`)
    included[words[word]] = true
  }
  return included
}
