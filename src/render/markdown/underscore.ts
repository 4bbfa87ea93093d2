import { asciiAlphanumeric } from 'micromark-util-character'
import type { Construct, Extension, State } from 'micromark-util-types'
import { sequence } from './formula.ts'

const underscore = 95

/** `__init__.py` is a file name: underscores directly before `.py` do not close emphasis. */
export function fileNameSyntax(): Extension {
  return { text: { [underscore]: beforeSuffix } }
}

const beforeSuffix: Construct = {
  name: 'underscoreBeforeSuffix',
  previous: (code) => code !== underscore && code !== null && asciiAlphanumeric(code),
  tokenize(effects, ok, nok) {
    return (code) => {
      effects.enter('data')
      return run(code)
    }
    function run(code: number | null): State | undefined {
      if (code === underscore) {
        effects.consume(code)
        return run
      }
      effects.exit('data')
      return effects.check(suffix, ok, nok)(code)
    }
  },
}

/** `.py` at the end of a word. */
const suffix = sequence([46, 112, 121], 'data', (code) => code === null || !asciiAlphanumeric(code))
